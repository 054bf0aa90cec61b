"""Text of the stat tools of FreeBSD, OpenBSD, NetBSD and macOS."""
