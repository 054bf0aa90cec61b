"""What tables say, declared once for the window, the workbook and the command line."""
