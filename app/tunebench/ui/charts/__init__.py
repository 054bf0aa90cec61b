"""Charts over time: pure geometry and ticks, painted surfaces, and the widgets made of them."""
