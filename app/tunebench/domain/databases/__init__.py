"""What databases tell, and what people decide about them."""
