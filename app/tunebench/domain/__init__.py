"""The engagement's vocabulary: frozen values and enums, no I/O, no numpy."""
