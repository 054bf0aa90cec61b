"""Text of the HP-UX stat tools: sar, vmstat, iostat and swapinfo."""
