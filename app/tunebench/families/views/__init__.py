"""Statistics views of databases as their clients print them."""
