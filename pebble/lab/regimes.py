"""The regimes of devices and head dimensions: the best schedule in each, and the I/O it saves."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

from pebble.common.clock import doing
from pebble.common.errors import InvalidInput
from pebble.common.plain import PlainRow, plain
from pebble.common.tables import Table, TableResult, words
from pebble.computations.masks import make_mask
from pebble.computations.problem import Problem
from pebble.lab.count import count
from pebble.lab.count_row import Row
from pebble.lab.count_table import Report
from pebble.lab.hardware import LEVELS, Device, Model, devices, models
from pebble.lab.hardware import device as device_of
from pebble.lab.hardware import model as model_of

DEFAULT_DEVICES = ("gtx1060", "v100", "a100", "h100")
DEFAULT_DIMENSIONS = (64, 128, 256)
_COMPARED = ("flash-2", "small-cache", "best")
REGIME_PASSES = ("forward", "backward")


@dataclass(frozen=True)
class RegimeRow(PlainRow):
    """One problem on devices that have the same M."""

    KEYS = (
        "devices model problem M mu regime dividing_point=report.bounds.dividing_point "
        "sparse_dividing_point=report.bounds.sparse_dividing_point bound=report.bounds.best.brief "
        "schedules=report.rows"
    )

    devices: tuple[str, ...]
    model: str | None
    M: int
    report: Report

    @property
    def problem(self) -> Problem:
        """The problem that was counted."""
        return self.report.problem

    @property
    def mu(self) -> float:
        """Return M/d²."""
        return float(self.report.bounds.regime.mu)

    @property
    def regime(self) -> str:
        """``"large cache"`` if M ≥ d², else ``"small cache"``."""
        return self.report.bounds.regime_name

    @property
    def best(self) -> Row:
        """The schedule ``best``; its attribute ``chosen`` says which one it is."""
        return self.report["best"]

    def against_best(self, name: str) -> float | None:
        """I/O of a schedule divided by that of the best; None if either does not fit."""
        io, best = self.report[name].io, self.best.io
        return None if io is None or best is None else io / best

    def ratios(self) -> dict[str, float | None]:
        """Return the ratios to the best schedule, and its ratio to the bound, by name."""
        return {
            "flash2_over_best": self.against_best("flash-2"),
            "small_cache_over_best": self.against_best("small-cache"),
            "best_over_bound": self.best.ratio,
        }

    def to_dict(self) -> dict[str, Any]:
        """Return the row as plain data."""
        return super().to_dict() | self.ratios()

    def record(self) -> dict[str, Any]:
        """Return the row as plain data without anything nested."""
        bound = "report.bounds.best"
        return (
            {"devices": " ".join(self.devices)}
            | plain(self, "model pass=problem.pass_name d=problem.d dv=problem.dv M mu regime")
            | self.ratios()
            | plain(
                self, f"best=best.chosen best_io=best.io bound_name={bound}.name bound_value={bound}.value"
            )
        )

    def notes(self) -> list[str]:
        """Return for each schedule that is not counted why."""
        where = f"{self.devices[0]}, {self.model or f'd = {self.problem.d}'}, {self.problem.pass_name}"
        return [f"{where}: {note}" for note in self.report.notes()]


@dataclass(frozen=True, repr=False)
class RegimeTable(TableResult):
    """What :func:`regimes` returns: rows, printed as a table, with :meth:`to_dict` for JSON.

    N is the queries of each head, and keys; the level, None for each device's own, is what counts as fast memory.
    """

    KEYS = "N dtype level mask rows"

    N: int
    dtype: str
    level: str | None
    rows: tuple[RegimeRow, ...]
    mask: str | None = None

    def records(self) -> list[dict[str, Any]]:
        """Return the rows as plain data: M, the regime, the best schedule, and the three ratios."""
        return [row.record() for row in self.rows]

    def parts(self) -> list[str | Table | TableResult]:
        """Return what is printed: what was counted, and the table."""
        columns: dict[str, Callable[[RegimeRow], str]] = {
            "devices": lambda row: " ".join(row.devices),
            "model": lambda row: row.model or "",
            "d": lambda row: "/".join(map(str, dict.fromkeys((row.problem.d, row.problem.dv)))),
            "pass": lambda row: row.problem.pass_name,
            "M": lambda row: words(row.M),
            "M/d²": lambda row: f"{row.mu:.3g}",
            "cache": lambda row: row.regime.partition(" ")[0],
            "best": lambda row: row.best.chosen or ("not counted" if row.best.note else "none fits"),
            "flash-2 ÷ best": lambda row: _ratio(row.against_best("flash-2")),
            "small-cache ÷ best": lambda row: _ratio(row.against_best("small-cache")),
            "best ÷ bound": lambda row: _ratio(row.best.ratio),
        }
        if not any(row.model for row in self.rows):
            del columns["model"]
        right = tuple(i for i, name in enumerate(columns) if name in ("d", "M", "M/d²") or "÷" in name)
        level = f"fast memory: {self.level or 'software-managed memory, else L2'}"
        mask = f"; {self.mask} mask" if self.mask else ""
        notes = [note for row in self.rows for note in row.notes()]
        texts = {row.problem.heads_text for row in self.rows}
        heads = "".join(f"; {text}" for text in texts if text) if len(texts) == 1 else ""
        heading = f"N = {self.N:,}; words of {self.dtype}; {level}{heads}{mask}"
        drop = ("small-cache ÷ best", "M/d²", "M", "flash-2 ÷ best", "cache")
        return [heading, Table.of(self.rows, columns, right=right, notes=notes, drop=drop)]


def regimes(
    on: Iterable[str | Device] | str | None = None,
    d: Iterable[int] | int | None = None,
    model: Iterable[str | Model] | str | None = None,
    *,
    N: int = 8192,
    heads: int | None = None,
    kv_heads: int | None = None,
    dtype: str = "bfloat16",
    level: str | None = None,
    passes: Iterable[str] | str = REGIME_PASSES,
    mask: str | None = None,
    empty_rows: str = "error",
    softmax: str = "plain",
) -> RegimeTable:
    """Say which regime devices and head dimensions are in, and what follows.

    Each row has M/d², the regime, the best schedule, FlashAttention-2's order and the small-cache algorithm
    as published, with their I/O, and the best proved bound. Every count has been verified by a machine run
    that enforces M.

    Parameters
    ----------
    on : iterable of str or Device, or "all", optional
        Devices; by default GTX 1060, V100, A100 and H100. Devices with the same M share a row. "all" leaves out
        those for which there is no figure at the level.
    d : iterable of int, optional
        Head dimensions; by default 64, 128 and 256, or none if models are given.
    model : iterable of str or Model, or "all", optional
        Models instead of, or beside, head dimensions; one layer of each. "all" leaves out those whose values are
        part of their keys, which have a forward pass only.
    N : int
        Queries of each head, and keys.
    heads, kv_heads : int, optional
        Query heads, and heads of keys and values that they share, as in :class:`pebble.Problem`; in place of a
        model's too. By default the model's, or one head.
    dtype : str
        What a word is.
    level : {"smem", "smem+regs", "l2"}, optional
        What fast memory is; by default what kernels manage themselves.
    passes : iterable of {"forward", "backward"}
    mask : str, optional
        Which keys each query of a head attends to, as the command line writes it; schedules and bounds are about the
        smaller computation then. Heads of a model that share keys have the same mask.
    empty_rows : {"error", "zero"}
        As in :func:`pebble.make_mask`.
    softmax : {"plain", "safe", "online"}
        As in :class:`pebble.Problem`; of the forward pass.

    Notes
    -----
    Cost: about 0.1 s a forward row, 0.5 s a backward row, whatever N; under a mask some seconds a row.

    The regime is the side of M = d² also under a mask: tiles inside a mask made of large blocks are dense. The
    published dividing point for that number of pairs is in the data of each row, ``sparse_dividing_point``.

    Examples
    --------
    >>> table = regimes(["gtx1060"], 128, dtype="float32", passes="forward")
    >>> row = table.rows[0]
    >>> row.M, row.mu, row.regime, row.best.chosen
    (12288, 0.75, 'small cache', 'hybrid')
    """
    groups = memories_of_devices(on, dtype, level)
    if mask is not None and not isinstance(mask, str):
        raise InvalidInput(
            "regimes needs the mask as a text, such as window:256; save an array and write file:PATH.npy"
        )
    spec = None if mask in ("none", "full") else mask
    chosen = [passes] if isinstance(passes, str) else list(dict.fromkeys(passes))
    if unknown := [name for name in chosen if name not in REGIME_PASSES]:
        raise InvalidInput(f"unknown pass {unknown[0]!r}; known here: {', '.join(REGIME_PASSES)}")
    own = {"heads": heads, "kv_heads": kv_heads}
    if d is None:
        d = DEFAULT_DIMENSIONS if model is None else ()
    dimensions = [d] if isinstance(d, int) else [*dict.fromkeys(d)]
    made = None if spec is None or not dimensions else make_mask(spec, N, N, empty_rows=empty_rows)
    same: dict[str, Any] = {"heads": 1 if heads is None else heads, "kv_heads": kv_heads, "mask": made}
    every: list[tuple[str | None, Problem]] = [(None, Problem.square(N, one, **same)) for one in dimensions]
    every += [
        (one.key, one.changed(**own).problem(N, mask=spec, empty_rows=empty_rows))
        for one in models_asked(model)
    ]
    problems = [
        (label, replace(problem, pass_name=name, softmax=softmax))
        for label, problem in every
        for name in chosen
    ]
    rows = []
    for M, names in groups:
        for label, problem in problems:
            with doing(f"{names[0]}, {label or f'd = {problem.d}'}, {problem.pass_name}"):
                rows.append(RegimeRow(names, label, M, count(problem, M, _COMPARED)))
    return RegimeTable(N, dtype, level, tuple(rows), spec)


def memories_of_devices(
    on: Iterable[str | Device] | str | None, dtype: str, level: str | None = None
) -> list[tuple[int, tuple[str, ...]]]:
    """Return each size of the devices' fast memory in words, in order of appearance, and the devices that have it.

    Examples
    --------
    >>> memories_of_devices(["gtx1060"], "float32")
    [(12288, ('gtx1060',))]
    """
    if on == "all":
        chosen = [one for one in devices().values() if level not in LEVELS or level in one.levels()]
    else:
        names = DEFAULT_DEVICES if on is None else (on,) if isinstance(on, str) else on
        chosen = [device_of(one) if isinstance(one, str) else one for one in names]
    found: dict[int, list[str]] = {}
    for one in dict.fromkeys(chosen):
        found.setdefault(one.words(dtype, level), []).append(one.key)
    return [(M, tuple(keys)) for M, keys in found.items()]


def _ratio(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def models_asked(model: Iterable[str | Model] | str | None) -> list[Model]:
    """Return models by name, or all whose heads have keys and values of their own; none for None.

    >>> [one.group for one in models_asked("llama3-8b")]
    [4]
    """
    if model == "all":
        return [one for one in models().values() if not one.shared_values and not one.shared_rope]
    names = () if model is None else (model,) if isinstance(model, str) else tuple(model)
    return list(dict.fromkeys(model_of(one) if isinstance(one, str) else one for one in names))
