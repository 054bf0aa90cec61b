"""Binary files of Linux sar, read by the published layouts of their records."""
