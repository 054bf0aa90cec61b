"""Text of the AIX stat tools: vmstat, iostat, lparstat, mpstat, sar, svmon and lsps."""
