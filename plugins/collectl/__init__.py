"""collectl: its raw recordings, its plot format, and what it prints on a terminal."""
