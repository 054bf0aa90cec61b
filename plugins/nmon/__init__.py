"""nmon and njmon: AIX's topas_nmon, nmon for Linux, and their JSON successor."""
