"""What the command line says first of a comparison, a report and a cycle."""
