"""Parts of the reference page: what is on the shelf, an entry, a calculator, the worksheet of cluster sizes."""
