"""The parts of the page on which two windows are compared."""
