"""What comes in, in the window: forms, ledgers, bundles, times and devices, descriptions of tables."""
