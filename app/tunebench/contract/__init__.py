"""What the command line writes as JSON and the library gives as dictionaries."""
