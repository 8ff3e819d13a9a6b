"""The built-in schedules; each is one loop nest, written with the public names of ``pebble`` only."""
