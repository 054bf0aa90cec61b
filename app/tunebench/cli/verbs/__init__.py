"""One module per verb: `register` adds its grammar, `run` does it and gives the exit code."""
