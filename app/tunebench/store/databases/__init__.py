"""What captures say of databases, and what people decided about them, in the project file."""
