"""Running a sweep: count the points that are missing, keep each as it comes, write all in order at the end."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import closing, contextmanager, nullcontext
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from pebble.common.errors import InvalidInput, PebbleError
from pebble.common.files import check_target
from pebble.common.tables import Table, TableResult
from pebble.lab.size_lists import Sizes
from pebble.lab.sweep.grid import SweepGrid, sweep_grid
from pebble.lab.sweep.journal import IN_MEMORY, Journal
from pebble.lab.sweep.point import Record
from pebble.lab.sweep.row_files import read_rows, row_format, write_rows
from pebble.lab.sweep.workers import count_all, process_pool

PointProgress = Callable[[int, int], None]
_SHOWN = ("pass", "Nq", "d", "mask", "M", "schedule", "reads", "writes", "io", "peak")


@dataclass(frozen=True)
class Sweep(TableResult):
    """A sweep that has been run; it prints the columns that papers show.

    ``resumed`` is how many points an earlier run had counted; the path is None if there is no file.
    """

    KEYS = "rows"

    grid: SweepGrid
    path: Path | None
    format: str | None
    resumed: int
    _rows: tuple[Record, ...] = field(default=(), repr=False)

    @property
    def rows(self) -> list[Record]:
        """The rows, one for each point and schedule, in the order of the grid; read from the file, if there is one."""
        return list(self)

    def records(self) -> list[Record]:
        """Return :attr:`rows`."""
        return self.rows

    def table(self) -> Table:
        """Return the rows as a table with the columns that papers show."""
        columns = {name: name for name in _SHOWN} | {"ratio": "ratio:.3f"}
        return Table.of((SimpleNamespace(**row) for row in self), columns)

    def parts(self) -> Sequence[str | Table | TableResult]:
        """Return what is printed: the table."""
        return [self.table()]

    def __len__(self) -> int:
        return len(self.grid) * self.grid.rows_per_point

    def __iter__(self) -> Iterator[Record]:
        return iter(self._rows) if self.path is None else read_rows(self.path, self.format)


def sweep(
    N: Sizes,
    d: Sizes,
    M: Sizes | None,
    schedules: Iterable[str] | str | None = None,
    *,
    out: str | os.PathLike[str] | None = None,
    format: str | None = None,
    jobs: int = 1,
    executor: Executor | None = None,
    restart: bool = False,
    progress: PointProgress | None = None,
    **same: Any,
) -> Sweep:
    """Count schedules at every point of a grid, in any number of processes, with the same result for any number.

    Parameters
    ----------
    N, d, M : int, iterable of int, or str
        The axes: numbers of queries (and keys), head dimensions, words of fast memory. As text ``"1Ki,4Ki"``, or
        with logarithmic spacing ``"1Ki:1Mi:40"``: 40 whole values from the first to the last, duplicates dropped.
        M may be in bytes, with ``dtype``: ``"48KiB:228KiB:10"``.
    schedules : iterable of str, or str, optional
        Names, as text separated by commas; all that serve the pass by default.
    out : path, optional
        A file for the rows. Finished points are kept in a journal beside it, ``OUT.partial``, so a sweep that was
        interrupted goes on where it was; at the end the file appears whole and the journal goes away.
    format : {"csv", "jsonl", "parquet"}, optional
        By default from the file's suffix.
    jobs : int
        Processes of this machine.
    executor : concurrent.futures.Executor, optional
        Anything else that counts points, such as ``dask.distributed.Client(...).get_executor()``.
    restart : bool
        Begin anew even if there is a journal.
    progress : callable, optional
        Called with the number of points that are done and of all, at the start and whenever some are finished.
    **same
        What else :func:`pebble.lab.sweep.sweep_grid` takes: masks, the pass, the form of attention, levels and so on.

    Returns
    -------
    Sweep
        Its ``rows`` are dictionaries, for example for ``pandas.DataFrame``.

    Raises
    ------
    PebbleError
        If a worker is lost or a point cannot be counted. A schedule that does not fit is no error but a row
        with ``fits`` false and ``least_M``.

    Examples
    --------
    >>> result = sweep(1024, 64, "16Ki:64Ki:3", "flash-2")
    >>> [(row["M"], row["io"]) for row in result.rows]
    [(16384, 1310720), (32768, 786432), (65536, 524288)]
    """
    grid = sweep_grid(N, d, M, schedules, **same)
    return run_sweep(
        grid, out, format=format, jobs=jobs, executor=executor, restart=restart, progress=progress
    )


def run_sweep(
    grid: SweepGrid,
    out: str | os.PathLike[str] | None = None,
    *,
    format: str | None = None,
    jobs: int = 1,
    executor: Executor | None = None,
    restart: bool = False,
    progress: PointProgress | None = None,
) -> Sweep:
    """Count a grid; parameters as in :func:`sweep`."""
    if isinstance(jobs, bool) or not isinstance(jobs, int) or jobs < 1:
        raise InvalidInput(f"jobs must be a positive whole number of processes, not {jobs!r}")
    if jobs > 1 and executor is not None:
        raise InvalidInput("jobs and executor cannot be combined: give one")
    if out is None:
        if format is not None:
            raise InvalidInput("a format needs a file (out)")
        with closing(Journal(IN_MEMORY, grid)) as memory:
            _fill(memory, grid, jobs, executor, progress)
            return Sweep(grid, None, None, 0, tuple(_in_order(memory, grid)))
    path = Path(out)
    name = row_format(path, format)
    check_target(path)
    with _journal(path, grid, restart) as journal:
        resumed = len(journal)
        _fill(journal, grid, jobs, executor, progress)
        write_rows(path, name, lambda: _in_order(journal, grid))
        journal.remove()
    return Sweep(grid, path, name, resumed)


def journal_of(out: str | os.PathLike[str]) -> Path:
    """Return where the journal of a file is.

    >>> journal_of("sweep.csv").name
    'sweep.csv.partial'
    """
    return Path(f"{os.fspath(out)}.partial")


@contextmanager
def _journal(path: Path, grid: SweepGrid, restart: bool) -> Iterator[Journal]:
    """Open the journal; an error that ends the sweep says what is kept and how to go on."""
    journal = Journal(journal_of(path), grid, restart)
    try:
        yield journal
    except PebbleError as error:
        kept = f"{len(journal):,} of {len(grid):,} points are kept in {journal.path}"
        raise PebbleError(f"{error}. {kept}: run the same command to resume") from error
    finally:
        journal.close()


def _fill(
    store: Journal, grid: SweepGrid, jobs: int, executor: Executor | None, progress: PointProgress | None
) -> None:
    tasks = ((index, grid.point(index)) for index in range(len(grid)) if index not in store)
    report = progress or (lambda done, total: None)
    report(len(store), len(grid))
    if len(store) == len(grid):
        return
    workers = process_pool(jobs) if jobs > 1 else nullcontext(executor)
    with workers as chosen:
        for counted in count_all(tasks, chosen):
            store.add(counted)
            report(len(store), len(grid))


def _in_order(store: Journal, grid: SweepGrid) -> Iterator[Record]:
    return chain.from_iterable(store.rows(index) for index in range(len(grid)))
