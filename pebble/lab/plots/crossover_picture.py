"""From which length on linear attention moves fewer words than softmax, against the size of fast memory."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, SupportsIndex

from pebble.common.clock import doing
from pebble.common.plain import plain
from pebble.common.tables import JsonResult
from pebble.lab.crossover import Crossover, crossover
from pebble.lab.plots.canvas import drawn_on, log_axes, title
from pebble.lab.plots.varying import memories

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class CrossoverCurves(JsonResult):
    """The numbers of the picture.

    The schedule ``against`` is one with softmax; there is a row for each size of fast memory, rising.
    """

    plot = "crossover"
    KEYS = "plot d mask against points"

    d: int
    mask: str | None
    against: str
    rows: tuple[Crossover, ...]

    @property
    def points(self) -> list[dict[str, Any]]:
        """The rows as plain data."""
        return [plain(row, "M cheaper_from provably_from") for row in self.rows]


def crossover_curves(
    d: int, M: SupportsIndex | Iterable[SupportsIndex], mask: str | None = None, against: str = "best"
) -> CrossoverCurves:
    """Count the points of :func:`draw_crossover`.

    Parameters are as for :func:`pebble.crossover`.

    Examples
    --------
    >>> [row.cheaper_from for row in crossover_curves(4, [32, 64]).rows]
    [4, 7]
    """
    rows = []
    for size in memories(M):
        with doing(f"M = {size:,}, d = {d}"):
            rows.append(crossover(d, size, mask, N=d, against=against))
    return CrossoverCurves(d, mask, against, tuple(rows))


def draw_crossover(curves: CrossoverCurves, ax: Axes | None = None) -> Axes:
    """Draw the lengths from which linear attention is cheaper, and from which provably so.

    Above the dashed line it moves fewer words than a schedule with softmax; above the solid one, shaded, fewer than any
    schedule with softmax can.
    """
    with drawn_on(ax) as target:
        Ms = [row.M for row in curves.rows]
        provably = [row.provably_from for row in curves.rows]
        cheaper = [row.cheaper_from for row in curves.rows]
        mask = f"{curves.mask} mask" if curves.mask else "no mask"
        title(target, "Length from which linear attention moves fewer words", f"d = {curves.d}", mask)
        target.set_xlabel("words of fast memory, M")
        target.set_ylabel("queries and keys, N")
        top = 4 * max(provably)
        target.set_xlim((Ms[0], Ms[-1]) if len(Ms) > 1 else (Ms[0] / 2, Ms[0] * 2))
        target.set_ylim(min(cheaper) / 2, top)
        log_axes(target)
        target.fill_between(Ms, provably, top, facecolor="#dddddd", edgecolor="none", zorder=0)
        name = "the best schedule" if curves.against == "best" else curves.against
        style: dict[str, Any] = {"clip_on": False, "zorder": 3}
        target.plot(
            Ms, provably, marker="o", color="#0072b2", label="than any schedule with softmax", **style
        )
        target.plot(
            Ms,
            cheaper,
            marker="s",
            color="#d55e00",
            linestyle="--",
            label=f"than {name} with softmax",
            **style,
        )
        target.legend(loc="lower right", frameon=False, fontsize="small")
    return target
