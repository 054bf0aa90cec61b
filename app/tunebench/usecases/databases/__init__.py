"""What captures say of databases: periods, snapshots, statements, and how they compare."""
