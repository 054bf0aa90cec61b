"""The success case as a workbook whose formulas live."""
