"""Figures that need no display, and picture files that are the same bytes every time."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, TypeVar, cast

from pebble.common.errors import InvalidInput
from pebble.common.files import atomic_writer

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis

Counted = TypeVar("Counted")
Drawn = TypeVar("Drawn")

PICTURE_FORMATS = ("png", "svg", "pdf")

_STYLE = {
    "figure.dpi": 100,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": "medium",
    "axes.titlelocation": "left",
    "svg.hashsalt": "pebble",
}


_SIZES = {"column": (3.4, 7.5, 300), "page": (8.0, 9.0, 150), "slide": (10.0, 13.0, 150)}
"""Inches, points of letters, and dots an inch."""
_size = ContextVar("_size", default="page")

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
def width(name: str) -> Iterator[None]:
    """Let new figures be as wide as a paper's column (3.4 in), a page on a screen (8 in) or a slide (10 × 5.6 in).

    >>> with width("column"):
    ...     pass
    """
    if name not in _SIZES:
        raise InvalidInput(f"unknown width {name!r}; known: {', '.join(_SIZES)}")
    before = _size.set(name)
    try:
        yield
    finally:
        _size.reset(before)


@contextmanager
def _style() -> Iterator[None]:
    """Use matplotlib's defaults and ours, whatever the user's configuration."""
    import matplotlib.style

    _, letters, dpi = _SIZES[_size.get()]
    larger = letters / 9
    own = {
        "font.size": letters,
        "savefig.dpi": dpi,
        "lines.linewidth": 1.3 * larger,
        "lines.markersize": 4.5 * larger,
        "axes.linewidth": 0.8 * larger,
    }
    with matplotlib.style.context(["default", {**_STYLE, **own}]):
        yield


@contextmanager
def drawn_on(
    ax: Axes | tuple[Axes, ...] | None, height: float = 5.0, rows: int = 1, legend: int = 0
) -> Iterator[Axes]:
    """Yield the given axes, or new ones on a figure of their own.

    Parameters
    ----------
    ax : Axes, tuple of Axes or None
        Given axes are yielded as they are; the figure, its size and its style stay the caller's.
    height : float
        Inches of a new figure that is 8 inches wide.
    rows : int
        Number of axes, one above the other with a common horizontal axis; several are yielded together.
    legend : int
        Lines of a legend that narrow axes have below.
    """
    need_matplotlib()
    if ax is not None:
        yield cast("Axes", ax)
        return
    inches, letters, _ = _SIZES[_size.get()]
    of_width = {
        "column": max(0.56 * height, 2.4) + 1.5 * legend * letters / 72,
        "page": max(height, 3.0),
        "slide": 5.6,
    }
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    with _style():
        figure = Figure(figsize=(inches, of_width[_size.get()]), layout="constrained")
        FigureCanvasAgg(figure)
        yield figure.subplots(rows, sharex=True)


def picture(
    count: Callable[..., Counted], draw: Callable[[Counted, Any], Drawn], text: str
) -> Callable[..., Drawn]:
    """Return the function that counts and then draws: on ``ax``, by default on new axes without a display."""

    def counted_and_drawn(*asked: Any, ax: Any = None, **named: Any) -> Drawn:
        return draw(count(*asked, **named), ax)

    counted_and_drawn.__name__ = counted_and_drawn.__qualname__ = draw.__name__.removeprefix("draw_")
    counted_and_drawn.__doc__ = (
        f"{text}\n\nParameters are those of :func:`{count.__name__}`, and ``ax``: where to draw."
    )
    return counted_and_drawn


def number_axis(axis: Axis, largest: float) -> None:
    """Label a linear axis: numbers with separators, large ones with the prefixes k, M and G."""
    from matplotlib.ticker import EngFormatter, MaxNLocator, StrMethodFormatter

    few = 4 if is_narrow(axis.axes) else 8
    axis.set_major_locator(MaxNLocator(nbins=few, steps=[1, 2, 5, 10], integer=True))
    axis.set_major_formatter(StrMethodFormatter("{x:,.0f}") if largest < 1e5 else EngFormatter(sep=" "))


def log_axes(ax: Axes, *names: str) -> None:
    """Make axes logarithmic, ``"x"``, ``"y"`` or both, with a label for each power of ten, or more where these are few.

    Set the limits, or draw, first.
    """
    from matplotlib.ticker import EngFormatter, LogLocator, NullFormatter

    for name in names or ("x", "y"):
        axis = getattr(ax, f"{name}axis")
        getattr(ax, f"set_{name}scale")("log")
        low, high = getattr(ax, f"get_{name}lim")()
        few = (1, 2, 3, 4, 6, 8) if high < 12 * low else (1, 2, 5) if high < 60 * low else (1,)
        axis.set_major_locator(LogLocator(subs=few))
        axis.set_major_formatter(EngFormatter(sep=" "))
        axis.set_minor_formatter(NullFormatter())


def note(ax: Axes, text: str, xy: tuple[float, float], offset: tuple[float, float], **style: Any) -> Any:
    """Write a small text beside a point; the offset is in points, to the right and up."""
    return ax.annotate(
        text, xy=xy, xytext=offset, textcoords="offset points", **{"fontsize": "small", **style}
    )


def white_around(colour: Any = "white") -> list[Any]:
    """Return the effect that letters stand on white, or on another colour."""
    from matplotlib.patheffects import withStroke

    return [withStroke(linewidth=2.5, foreground=colour)]


def legend_beside(ax: Axes, *handles: Any, below: bool = False, **style: Any) -> None:
    """Put the legend to the right of some axes, or below narrow ones, in as many columns as fit."""
    handles = handles or ax.get_legend_handles_labels()
    style = {"frameon": False, "fontsize": "small", "alignment": "left", **style}
    if not below and not is_narrow(ax):
        ax.legend(*handles, loc="upper left", bbox_to_anchor=(1.01, 1), **style)
        return
    from matplotlib.transforms import ScaledTranslation

    letters = letter_points()
    longest = max(len(text) for text in handles[1]) + 6
    columns = max(1, int(points_wide(ax) / (0.58 * letters * longest)))
    columns = -(-len(handles[1]) // -(-len(handles[1]) // columns))
    gap = 3.4 * letters * bool(ax.get_xlabel()) + 4
    shift = ScaledTranslation(0, -gap / 72, ax.figure.dpi_scale_trans)
    ax.legend(
        *handles,
        loc="upper left",
        bbox_to_anchor=(0, 0),
        bbox_transform=ax.transAxes + shift,
        ncols=columns,
        borderaxespad=0,
        **{"columnspacing": 1.0, "handlelength": 1.8, **style},
    )


def letter_points() -> float:
    """Return the size of letters of the style in use."""
    import matplotlib

    return float(matplotlib.rcParams["font.size"])


def is_narrow(ax: Axes) -> bool:
    """Whether some axes have no room for a legend at their side."""
    return points_wide(ax) < 35 * letter_points()


def points_wide(ax: Axes) -> float:
    """Return about how wide some axes are, in points, before the layout makes room for labels and legend."""
    return float(ax.get_window_extent().width) * 72 / ax.figure.get_dpi()


def points_high(ax: Axes) -> float:
    """Return about how high some axes are, in points, likewise."""
    return float(ax.get_window_extent().height) * 72 / ax.figure.get_dpi()


def title(ax: Axes, head: str, *parts: str) -> None:
    """Set the title: one line that says what is drawn, then what it is drawn of, on as many lines as needed."""
    room, lines = points_wide(ax) * 1.1 / (0.54 * letter_points()), [""]
    for part in parts:
        longer = f"{lines[-1]}; {part}" if lines[-1] else part
        if lines[-1] and len(longer) > room:
            lines.append(part)
        else:
            lines[-1] = longer
    ax.set_title("\n".join([head, *lines]), wrap=True)


def picture_format(path: str | os.PathLike[str]) -> str:
    """Return the format of a picture file, read from its name.

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
