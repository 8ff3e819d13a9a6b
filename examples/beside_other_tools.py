"""Bounds and schedules of graphIO, OneStopParallel, IOLB and SOAP beside ours, on 20 graphs and kernels.

Prints the table of docs/proofs/how-good.md, which says where each figure is from. Arguments choose rows by a part of
their names; a folder with OneStopParallel's spaa/tiny adds the rows of that benchmark. All rows take some minutes.
"""

from __future__ import annotations

import sys
from math import ceil, sqrt
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.sparse import coo_array, diags_array  # type: ignore[import-untyped,unused-ignore]
from scipy.sparse.linalg import eigsh  # type: ignore[import-untyped,unused-ignore]

from pebble import Dag, Rules, dag_bounds, load_dag, optimal
from pebble.lab.dag_schedules import schedule_named_dag

EIGENVALUES = 100


class Row(NamedTuple):
    """A graph by name or file, M, and what cannot be computed here.

    Parameters
    ----------
    graph : str
        A name of ``pebble dag``, or a file of OneStopParallel's benchmark.
    M : int
    scheduler : int
        Words that OneStopParallel moves, measured.
    iolb, soap : float, optional
        Leading terms published for the kernel; PolyBench counts two sweeps of jacobi-1d as one step.
    """

    graph: str
    M: int
    scheduler: int
    iolb: float | None = None
    soap: float | None = None


ROWS = (
    Row("fft:128", 4, 1520),
    Row("fft:256", 8, 2405),
    Row("matmul:8,8,8", 16, 1222),
    Row("strassen:8", 8, 3147),
    Row("hypercube:9", 16, 1777),
    Row("diamond:16,16", 4, 481),
    Row("attention:N=8,d=4", 16, 1195),
    Row("instance_k-means.hdag", 4, 42),
    Row("instance_bicgstab.hdag", 4, 59),
    Row("instance_spmv_N7_nzP0d35.hdag", 6, 47),
    Row("instance_k-NN_3_gyro_m.hdag", 4, 58),
    Row("kernel:gemm:i=16,j=16,k=16", 16, 12857, 2 * 16**3 / 4, 2 * 16**3 / 4),
    Row("kernel:syrk:i=8,j=8,k=60", 46, 2249, 60 * 8**2 / (2 * sqrt(46)), 60 * 8**2 / sqrt(46)),
    Row("kernel:symm:i=12,j=12,k=12", 16, 5207, 2 * 12**3 / 4, sqrt(2) * 12**3 / 4),
    Row("kernel:cholesky:i=16,j=16,k=15", 16, 1212, 16**3 / (6 * 4), 16**3 / (3 * 4)),
    Row("kernel:lu:i=12,j=12,k=11", 16, 1038, 2 * 12**3 / (3 * 4), 2 * 12**3 / (3 * 4)),
    Row("kernel:floyd-warshall:i=10,j=10,k=10", 16, 2067, 10**3 / 4, 2 * 10**3 / 4),
    Row("kernel:durbin:k=24,i=23", 8, 1303, 24**2 / 2, 3 * 24**2 / 2),
    Row("kernel:jacobi-1d:t=32,i=30", 8, 2916, 32 * 16 / (4 * 8), 2 * 32 * 16 / 8),
    Row("kernel:seidel-2d:t=6,i=8,j=8", 16, 1687, 2 * 6 * 10**2 / (3 * sqrt(3 * 16)), 4 * 6 * 10**2 / 4),
)


def graphio(dag: Dag, M: int) -> float:
    """Jain and Zaharia's bound: max over k of Σ nᵢ·λᵢ − 2kM, n = Σ nᵢ in k parts that differ by one at most."""
    tails, heads = np.array(list(dag.edges())).T
    n = dag.n_vertices
    half = coo_array((1 / np.bincount(tails, minlength=n)[tails], (tails, heads)), shape=(n, n))
    weights = half + half.T
    laplacian = (diags_array(weights.sum(axis=1)) - weights).tocsc()
    values = np.sort(eigsh(laplacian, min(EIGENVALUES, n - 2), sigma=-0.01, return_eigenvectors=False))
    sums = np.concatenate([[0.0], np.cumsum(values)])
    k = np.arange(2, len(sums))
    return float(max(0.0, np.max(n // k * sums[k] + sums[n % k] - 2 * k * M)))


def figures(row: Row, folder: Path) -> tuple[int, int, list[float | None]]:
    """Return our bound, our words, and what the others say; both of ours are the optimum for the benchmark's graphs."""
    if row.graph.endswith(".hdag"):
        dag = load_dag(str(folder / row.graph))
        bound = words = int(optimal(dag, row.M).io)
    else:
        dag = load_dag(row.graph)
        bound = int(dag_bounds(dag, row.M, Rules(recomputation=False)).best.value)
        words = schedule_named_dag(row.graph, row.M).io
    return bound, words, [graphio(dag, row.M), row.iolb, row.soap]


def line(row: Row, folder: Path) -> str:
    """Return the table's line: the greatest bound and the fewest words in bold, † where a bound is above a pebbling."""
    bound, words, others = figures(row, folder)
    fewest = min(words, row.scheduler)
    bounds: list[float | None] = [bound, *others]
    greatest = max(value for value in bounds if value is not None and value <= fewest)
    cells = [f"`{row.graph}`", f"{row.M}"]
    for value in bounds:
        text = "–" if value is None else f"{ceil(value):,}"
        above = value is not None and value > fewest
        cells.append(f"{text} †" if above else f"**{text}**" if value == greatest else text)
    cells += [f"**{value:,}**" if value == fewest else f"{value:,}" for value in (words, row.scheduler)]
    return f"| {' | '.join(cells)} |"


def main(arguments: list[str]) -> None:
    """Print the rows that the arguments choose."""
    folder = next((Path(one) for one in arguments if Path(one).is_dir()), None)
    parts = [one for one in arguments if not Path(one).is_dir()]
    for row in ROWS:
        wanted = not parts or any(one in row.graph for one in parts)
        if wanted and (folder is not None or not row.graph.endswith(".hdag")):
            print(line(row, folder or Path()), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
