"""The rules of the tuning cycle: gates, guards, results, board, worksheet."""
