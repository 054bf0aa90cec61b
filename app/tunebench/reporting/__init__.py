"""The success case as a document of blocks, and its writers (PDF, workbook, page images).

This room receives plain values and knows no store, no window and no clock.
"""
