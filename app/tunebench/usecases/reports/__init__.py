"""The success case: what goes into it, and the register of what was written."""
