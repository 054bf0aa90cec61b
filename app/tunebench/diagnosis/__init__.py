"""The rules of the method: gates, the trade-off worksheet, guard metrics, results, the board, what is carried over."""
