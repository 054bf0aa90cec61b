"""The frame of the window: menu, rail, tree, inspector, palette, status."""
