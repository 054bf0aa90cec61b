"""What `sadf` (sysstat) makes of sar's binary files: -d, -p, -j, -x and -r."""
