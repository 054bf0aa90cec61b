"""The project file: one SQLite file per engagement, with its evidence, samples and everything written about them."""
