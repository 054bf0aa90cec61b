"""Parts of the reference page: what is listed, an entry, a calculator, the worksheet of cluster sizes."""
