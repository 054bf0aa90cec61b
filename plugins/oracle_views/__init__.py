"""Oracle's V$, DBA_HIST and Statspack views as SQL*Plus and other clients print them."""
