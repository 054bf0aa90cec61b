"""Statistical inference on measured series: intervals, effective sizes, tests; scipy is loaded when needed."""
