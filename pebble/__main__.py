"""``python -m pebble``."""

from pebble.cli import main

main()
