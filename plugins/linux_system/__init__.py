"""What Linux tells of itself without sysstat: free, df, /proc files, ip, netstat, ps, mostly in loops."""
