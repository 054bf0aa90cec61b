"""What several built-in plug-ins share, family by family: built on the SDK, and promised to nobody else."""
