"""dstat and its kin: Dstat, dool, pcp-dstat."""
