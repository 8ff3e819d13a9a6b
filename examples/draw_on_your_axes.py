"""Pictures on axes of your own: two head dimensions side by side, and what each array costs.

Run it with the name of a file (.png, .svg or .pdf) to keep the picture: python draw_on_your_axes.py picture.svg
"""

from __future__ import annotations

import sys

from matplotlib.figure import Figure

from pebble import Problem, count, plots

SCHEDULES = ("small-cache", "square-tile", "flash-2", "best")


def main(path: str | None = None) -> None:
    """Draw three pictures on one figure, check a number of each, and save it if asked."""
    figure = Figure(figsize=(15, 4.5), layout="constrained")
    axes = figure.subplots(1, 3)
    problems = Problem.square(2048, 32), Problem.square(2048, 128)
    for ax, problem in zip(axes, problems, strict=False):
        d = problem.d
        plots.io(problem, plots.spaced(d**2 // 8, 32 * d**2, 9), SCHEDULES, ax=ax)
    problem, M = problems[1], 32_768
    plots.arrays(problem, M, ("square-tile", "flash-1", "flash-2"), ax=axes[2])

    words = sum(round(bar.get_width()) for bar in axes[2].patches)
    counted = [row.io for row in count(problem, M, ["square-tile", "flash-1", "flash-2"]).rows]
    print(f"{words:,} words in the bars, {sum(io or 0 for io in counted):,} counted")
    assert words == sum(io or 0 for io in counted)
    for ax, problem in zip(axes, problems, strict=False):
        x, y = next(line.get_data() for line in ax.get_lines() if line.get_label() == "best")
        assert y[-1] == count(problem, int(x[-1]), ["best"])["best"].io
        print(f"{problem.describe()}: best moves {y[-1]:,} words with M = {x[-1]:,}")
    if path is not None:
        plots.save(figure, path)


if __name__ == "__main__":
    main(*sys.argv[1:2])
