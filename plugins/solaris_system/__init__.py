"""What a Solaris host is and how it is set: mailed output of prtdiag, prtconf, fstyp, mdb, swap, iostat -E ..."""
