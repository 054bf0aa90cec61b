"""The Qt front: one window, a rail of pages, two docks. Knows the use cases; nothing below knows it."""
