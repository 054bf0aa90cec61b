"""Text of the Solaris stat tools: iostat, vmstat, vmstat -s and sar."""
