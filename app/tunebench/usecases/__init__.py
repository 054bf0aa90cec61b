"""One module per user verb: the only door that the window and the command line knock on."""
