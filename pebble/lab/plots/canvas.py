"""Figures that need no display, and picture files that are the same bytes every time."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from pebble.common.errors import InvalidInput
from pebble.common.files import atomic_writer

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

__all__ = [
    "PICTURE_FORMATS",
    "drawn_on",
    "legend_beside",
    "need_matplotlib",
    "note",
    "number_axis",
    "picture_format",
    "points_wide",
    "save",
    "title",
    "write_picture",
]

PICTURE_FORMATS = ("png", "svg", "pdf")

_STYLE = {
    "figure.dpi": 100,
    "savefig.dpi": 150,
    "font.size": 9,
    "axes.titlesize": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": False,
    "hatch.linewidth": 0.6,
    "svg.hashsalt": "pebble",
}

# No dates and no versions, so that the same numbers give the same bytes.
_METADATA: dict[str, dict[str, Any]] = {
    "png": {"Software": None},
    "svg": {"Date": None, "Creator": None},
    "pdf": {"CreationDate": None},
}


def need_matplotlib() -> None:
    """Raise InvalidInput that says how to install matplotlib, if it is missing."""
    try:
        import matplotlib  # noqa: F401
    except ImportError as error:
        raise InvalidInput(
            "pictures need matplotlib: pip install 'pebble-io[plot]' (or '.[plot]')"
        ) from error


@contextmanager
def _style() -> Iterator[None]:
    """Use matplotlib's defaults and ours, whatever the user's configuration."""
    import matplotlib.style

    with matplotlib.style.context(["default", _STYLE]):
        yield


@contextmanager
def drawn_on(
    ax: Axes | tuple[Axes, ...] | None, width: float = 8.0, height: float = 5.0, rows: int = 1
) -> Iterator[Any]:
    """Yield the given axes, or new ones on a figure of their own.

    Parameters
    ----------
    ax : Axes, tuple of Axes or None
        Given axes are yielded as they are; the figure, its size and its style stay the caller's.
    width, height : float
        Inches of a new figure.
    rows : int
        Number of axes, one above the other with a common horizontal axis; several are yielded as a tuple.
    """
    need_matplotlib()
    if ax is not None:
        yield ax
        return
    with _style():
        found = _new_figure(width, height).subplots(rows, sharex=True)
        yield tuple(found) if rows > 1 else found


def _new_figure(width: float, height: float) -> Figure:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def number_axis(axis: Axis, largest: float) -> None:
    """Label a linear axis: numbers with separators, large ones with the prefixes k, M and G."""
    from matplotlib.ticker import EngFormatter, MaxNLocator, StrMethodFormatter

    axis.set_major_locator(MaxNLocator(nbins=8, steps=[1, 2, 5, 10], integer=True))
    axis.set_major_formatter(StrMethodFormatter("{x:,.0f}") if largest < 1e6 else EngFormatter(sep=" "))


def note(ax: Axes, text: str, xy: tuple[float, float], offset: tuple[float, float], **style: Any) -> None:
    """Write a text beside a point, so many points to the right and up."""
    ax.annotate(text, xy=xy, xytext=offset, textcoords="offset points", **style)


def legend_beside(ax: Axes, *handles: Any, **style: Any) -> None:
    """Put the legend to the right of some axes."""
    ax.legend(*handles, loc="upper left", bbox_to_anchor=(1.01, 1), frameon=False, fontsize=8, **style)


def points_wide(ax: Axes) -> float:
    """Return about how wide some axes are, in points, before the layout makes room for labels and legend."""
    return float(ax.get_window_extent().width) * 72 / ax.figure.get_dpi()


def title(ax: Axes, head: str, *parts: str) -> None:
    """Set the title: one line that says what is drawn, then what it is drawn of, on as many lines as needed."""
    room, lines = points_wide(ax) * 1.15 / 5.6, [""]
    for part in parts:
        longer = f"{lines[-1]}; {part}" if lines[-1] else part
        if lines[-1] and len(longer) > room:
            lines.append(part)
        else:
            lines[-1] = longer
    ax.set_title("\n".join([head, *lines]))


def picture_format(path: str | os.PathLike[str]) -> str:
    """Return the format of a picture file, read from its name.

    Examples
    --------
    >>> picture_format("gap.SVG")
    'svg'
    """
    suffix = Path(path).suffix.lower().lstrip(".")
    if suffix not in PICTURE_FORMATS:
        known = ", ".join(f".{name}" for name in PICTURE_FORMATS)
        found = f"{suffix!r} is not a picture format" if suffix else "the name has no ending"
        raise InvalidInput(f"cannot write {path}: {found}; use a file name ending in {known}")
    return suffix


def write_picture(picture: Any, stream: IO[bytes], suffix: str) -> None:
    """Write a figure, or the figure of some axes, to a binary stream."""
    if isinstance(picture, (tuple, list)):
        picture = picture[0]
    figure = picture if hasattr(picture, "savefig") else picture.figure
    with _style():
        figure.savefig(stream, format=suffix, metadata=_METADATA[suffix])


def save(picture: Any, path: str | os.PathLike[str]) -> None:
    """Write a picture to a file, whole or not at all; the same numbers give the same bytes.

    Parameters
    ----------
    picture : Axes, tuple of Axes, or Figure
        What a function of this package returned, or any figure of matplotlib.
    path : path
        Ends in ``.png``, ``.svg`` or ``.pdf``.
    """
    suffix = picture_format(path)
    with atomic_writer(path, "wb") as stream:
        write_picture(picture, stream, suffix)
