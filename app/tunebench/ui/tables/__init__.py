"""One kit for the tables of the window: columns, model, filter, view."""
