"""What the documents are made of, as plain values."""
