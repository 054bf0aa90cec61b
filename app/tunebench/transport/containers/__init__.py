"""What customers pack captures into, read without unpacking to disk: folders, zip, tar, compressed files, nested."""
