"""Parser of Oracle's AWR reports in HTML."""
