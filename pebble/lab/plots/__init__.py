"""Pictures of verified counts: I/O curves, optimality gap, occupancy, I/O by array, roofline.

:func:`io`, :func:`gap`, :func:`occupancy`, :func:`arrays`, :func:`levels` and :func:`roofline` draw on given axes or on
new ones, and return them; :func:`save` writes them to a file, and :func:`width` sets how wide new ones are. Nothing
here needs a display or touches the state of ``matplotlib.pyplot``. The numbers behind each picture come from
:func:`io_curves`, :func:`gaps`, :func:`occupancy_of`, :func:`array_bars`, :func:`level_points` and
:func:`roofline_points`, which need no matplotlib.
"""

from __future__ import annotations

from pebble.lab.plots.bars import array_bars, arrays, draw_arrays
from pebble.lab.plots.canvas import save, width
from pebble.lab.plots.curves import draw_io, io, io_curves
from pebble.lab.plots.heat_map import draw_gap, gap, gaps
from pebble.lab.plots.level_picture import draw_levels, level_points, levels
from pebble.lab.plots.over_time import draw_occupancy, occupancy, occupancy_of
from pebble.lab.plots.roofline_picture import draw_roofline, roofline, roofline_points
from pebble.lab.plots.varying import sizes
from pebble.lab.size_lists import spaced

__all__ = [
    "array_bars",
    "arrays",
    "draw_arrays",
    "draw_gap",
    "draw_io",
    "draw_levels",
    "draw_occupancy",
    "draw_roofline",
    "gap",
    "gaps",
    "io",
    "io_curves",
    "level_points",
    "levels",
    "occupancy",
    "occupancy_of",
    "roofline",
    "roofline_points",
    "save",
    "sizes",
    "spaced",
    "width",
]
