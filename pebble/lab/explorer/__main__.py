"""``python -m pebble.lab.explorer``: count the points that the data file of this package lacks."""

from __future__ import annotations

import sys
from pathlib import Path

from pebble.lab.explorer.points import DATA, write_points

if __name__ == "__main__":
    write_points(Path(__file__).with_name(DATA), lambda text: print(text, file=sys.stderr, flush=True))
