"""Pictures show verified counts, on the axes given or on new ones, in files that are whole and the same every time."""

from __future__ import annotations

import io as streams
import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from click.testing import CliRunner, Result

import pebble
from pebble.cli import group
from pebble.common.errors import CacheTooSmall, InvalidInput, PebbleError
from pebble.computations.problem import Problem
from pebble.lab import plots
from pebble.lab.plots import canvas, styles
from pebble.lab.spacing import spread
from pebble.lab.timeline import Timeline, timeline
from pebble.lower_bounds import proved_bounds
from pebble.program.schedule import available, offered

matplotlib = pytest.importorskip("matplotlib")
from matplotlib.figure import Figure  # noqa: E402
from matplotlib.text import Text  # noqa: E402

PROBLEM = Problem.square(48, 6)
MEMORIES = (20, 60, 200)


def lines_of(ax: Any) -> dict[str, Any]:
    """Lines of some axes by label."""
    return {line.get_label(): line for line in ax.get_lines()}


def rectangles(ax: Any) -> list[Any]:
    """The bars of some axes."""
    return list(ax.patches)


def written(picture: Any, suffix: str) -> bytes:
    """What a file would hold."""
    stream = streams.BytesIO()
    canvas.write_picture(picture, stream, suffix)
    return stream.getvalue()


def invoke(*arguments: str) -> Result:
    return CliRunner().invoke(group, ["plot", *arguments])


# The numbers


@pytest.mark.parametrize("pass_name", ["forward", "backward"])
def test_io_against_memory_draws_the_counts_and_the_bounds(pass_name: str) -> None:
    problem = replace(PROBLEM, pass_name=pass_name)
    drawn = lines_of(plots.io(problem, MEMORIES))
    reports = {M: pebble.count(problem, M) for M in MEMORIES}
    for name in [schedule.name for schedule in offered(problem)]:
        counts = [(M, reports[M][name].io) for M in MEMORIES]
        fitting = [(M, io) for M, io in counts if io is not None]
        if fitting:
            assert list(zip(*drawn[name].get_data(), strict=True)) == fitting
        else:
            assert name not in drawn
    best = [proved_bounds(problem, M)[0].value for M in MEMORIES]
    assert list(drawn["best proved bound"].get_ydata()) == best


def test_io_against_length_draws_the_counts() -> None:
    problems = [Problem.square(N, 6) for N in (64, 16, 32)]
    ax = plots.io(problems, 60, ["flash-2", "naive"])
    for name in ("flash-2", "naive"):
        x, y = lines_of(ax)[name].get_data()
        assert list(x) == [16, 32, 64]
        assert list(y) == [pebble.count(Problem.square(N, 6), 60, [name])[name].io for N in (16, 32, 64)]
    assert "N = " not in ax.get_title()
    assert ax.get_xlabel().startswith("N ")


def test_io_of_a_training_step_adds_both_passes() -> None:
    curves = plots.io_curves(replace(PROBLEM, pass_name="both"), MEMORIES, ["square-tile"])
    parts = [
        pebble.count(replace(PROBLEM, stats=True), 60, ["square-tile"])["square-tile"].io,
        pebble.count(replace(PROBLEM, pass_name="backward"), 60, ["square-tile"])["square-tile"].io,
    ]
    assert curves.schedules["square-tile"][1] == sum(part or 0 for part in parts)
    plots.draw_io(curves)


def test_io_counts_all_heads_and_other_shapes() -> None:
    problem = Problem(Nq=40, Nk=24, d=4, dv=8, heads=3)
    curves = plots.io_curves(problem, [100], ["flash-2"])
    assert curves.schedules["flash-2"] == (pebble.count(problem, 100, ["flash-2"])["flash-2"].io,)
    lengths = plots.io_curves([problem, replace(problem, Nk=48)], 100, ["flash-2"])
    assert (lengths.against, lengths.values) == ("N", (24, 48))


def test_masks_are_drawn_as_they_are_counted() -> None:
    problems = [Problem.square(N, 6, mask="causal") for N in (12, 24)]
    curves = plots.io_curves(problems, 100, ["flash-2"])
    assert curves.schedules["flash-2"][1] == pebble.count(problems[1], 100, ["flash-2"])["flash-2"].io
    assert "causal mask" in plots.draw_io(curves).get_title()
    assert "causal mask" in plots.gap(problems, [100]).get_title()
    with pytest.raises(InvalidInput, match="their length only"):
        plots.io([problems[0], Problem.square(24, 6)], 100)


def test_the_crossover_is_marked_where_it_can_be_seen() -> None:
    texts = [text.get_text() for text in plots.io(PROBLEM, [20, 200], ["naive"]).texts]
    assert "M = d² = 36" in texts
    texts = [text.get_text() for text in plots.io(PROBLEM, [40, 200], ["naive"]).texts]
    assert not any(text.startswith("M = d²") for text in texts)


def test_gap_is_the_best_schedule_over_the_best_bound() -> None:
    problems = [Problem.square(N, 6) for N in (12, 48)]
    found = plots.gaps(problems, MEMORIES)
    for row, problem in zip(found.ratios, problems, strict=True):
        for ratio, M in zip(row, MEMORIES, strict=True):
            io = pebble.count(problem, M, ["best"])["best"].io
            assert io is not None
            assert ratio == io / proved_bounds(problem, M)[0].value
            assert ratio >= 1
    ax = plots.draw_gap(found)
    (mesh,) = ax.collections
    assert np.allclose(np.asarray(mesh.get_array()).ravel(), np.array(found.ratios).ravel())
    texts = {text.get_text() for text in ax.texts}
    assert {f"{ratio:.2f}" for row in found.ratios for ratio in row if ratio is not None} <= texts
    low, high = ax.get_xlim()
    assert low < MEMORIES[0] / 36 < MEMORIES[-1] / 36 < high


def test_gap_where_nothing_fits_is_blank() -> None:
    found = plots.gaps(PROBLEM, [2, 200])
    assert found.ratios[0][0] is None
    assert found.best[0][0] is None
    assert "–" in {text.get_text() for text in plots.draw_gap(found).texts}
    with pytest.raises(InvalidInput, match="no schedule fits"):
        plots.gap(PROBLEM, [2])


@pytest.mark.parametrize("pass_name", ["forward", "backward"])
def test_arrays_draws_the_words_of_each_array(pass_name: str) -> None:
    problem = replace(PROBLEM, pass_name=pass_name)
    bars = plots.array_bars(problem, 200)
    widths = sorted(round(patch.get_bbox().width) for patch in rectangles(plots.draw_arrays(bars)))
    report = pebble.count(problem, 200)
    least = min(row.io for row in report.rows if row.io is not None)
    drawn = [row for row in report.rows if row.io is not None and row.io <= 8 * least]
    counts = [n for row in drawn for moved in row.by_array.values() for n in moved.values() if n]
    assert widths == sorted(counts)
    assert sum(widths) == sum(row.io or 0 for row in drawn)
    assert {row.name for row in bars.left_out} == {
        row.name for row in report.rows if row.io is not None and row not in drawn
    }


def test_arrays_names_what_it_leaves_out_unless_asked_for_it() -> None:
    ax = plots.arrays(Problem.square(256, 16), 2000)
    assert any(text.get_text().startswith("not shown: naive (") for text in ax.texts)
    assert [row.name for row in plots.array_bars(Problem.square(256, 16), 2000, ["best", "naive"]).rows] == [
        "best",
        "naive",
    ]


def test_roofline_agrees_with_the_plan() -> None:
    problem = Problem.square(512, 64)
    found = plots.roofline_points(problem, "a100", "float16", schedules=["flash-2", "naive"])
    planned = pebble.plan(problem, device="a100", dtype="float16", schedules=["flash-2"], costs=False)
    own = next(choice for choice in planned.choices if choice.form == "own tiles")
    point = found.points[0]
    assert (point.io, point.moved, point.flops) == (own.io, own.moved, own.flops)
    assert point.intensity == own.intensity
    assert point.attainable == min(found.peak, point.intensity * found.bandwidth)
    assert point.repeated == 1
    for label, line in lines_of(plots.draw_roofline(found)).items():
        for one in found.points:
            if label.startswith(f"{one.schedule}:"):
                assert [value[0] for value in line.get_data()] == [one.intensity, one.attainable]


def test_roofline_says_what_is_computed_again() -> None:
    problem = Problem.square(256, 64)
    backward = replace(problem, pass_name="backward")
    found = plots.roofline_points(backward, "a100", schedules=["split"])
    assert found.points[0].repeated == pytest.approx(7 / 5)
    labels = lines_of(plots.draw_roofline(found))
    assert any("arithmetic × 1.40" in label for label in labels)


# One run over time


@pytest.mark.parametrize(
    ("pass_name", "mask"), [("forward", None), ("backward", None), ("forward", "causal")]
)
def test_every_schedule_over_time_is_what_the_machine_counts(pass_name: str, mask: str | None) -> None:
    problem = Problem.square(6, 2, pass_name=pass_name, mask=mask)
    for name in available(pass_name):
        M = pebble.schedules(pass_name)[name].least_M(problem) + 7
        try:
            by_moves, by_steps = (timeline(name, problem, M, resolution=r) for r in ("moves", "steps"))
        except CacheTooSmall:
            continue
        row = pebble.count(problem, M, [name])[name]
        for run in (by_moves, by_steps):
            assert (run.peak, run.io, int(run.reads[-1])) == (row.peak, row.io, row.reads)
            assert int(run.highest.max()) <= M
            assert run.occupied[0] == run.occupied[-1] == 0
            assert (np.diff(run.time) >= 0).all()
        agree(by_moves, by_steps)


def agree(by_moves: Timeline, by_steps: Timeline) -> None:
    """At the end of each step both know the same counts, and no move in between goes above the step's highest."""
    last = np.searchsorted(by_moves.time, by_steps.time, side="right") - 1
    for name in ("reads", "writes"):
        assert (getattr(by_moves, name)[last] == getattr(by_steps, name)).all()
    for step in range(1, len(last)):
        between = by_moves.highest[last[step - 1] + 1 : last[step] + 1]
        if len(between) and by_steps.time[step] < by_steps.time[-1]:
            assert between.max() == by_steps.highest[step]


def test_a_short_run_is_drawn_move_by_move() -> None:
    found = plots.occupancy_of("flash-2", Problem.square(4, 2), 16)
    assert found.whole
    assert found.run.resolution == "moves"
    assert found.column("time")[:-1] == list(range(found.run.io + sum_of_computes("flash-2") + 1))
    memory, traffic = plots.draw_occupancy(found)
    assert list(lines_of(memory)["in use"].get_ydata()) == found.run.occupied.tolist()
    assert list(lines_of(traffic)[f"I/O: {found.run.io:,}"].get_ydata())[-1] == found.run.io


def sum_of_computes(name: str) -> int:
    return pebble.moves(name, Problem.square(4, 2), 16).computes


def test_a_long_run_is_drawn_by_stretches_that_lose_no_peak() -> None:
    found = plots.occupancy_of("small-cache", Problem.square(40, 8), 120)
    run = found.run
    assert not found.whole
    assert max(found.column("highest")) == run.peak
    assert found.column("reads")[-1] + found.column("writes")[-1] == run.io
    assert found.column("time")[-1] == run.time[-1]
    assert all(low <= high for low, high in zip(found.lowest, found.column("highest"), strict=True))
    assert min(found.lowest) == 0
    for number, place in enumerate(found.drawn):
        assert sum(values[number] for values in found.held.values()) == run.occupied[place]


def test_a_run_of_many_moves_is_followed_operation_by_operation() -> None:
    run = timeline("flash-1", Problem.square(256, 32), 8192, {"rows": 32, "cols": 60})
    assert run.resolution == "steps"
    assert len(run.time) < 1000
    assert run.time[-1] > 200_000


def test_a_run_of_too_many_operations_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pebble.lab.timeline.STEP_LIMIT", 2000)
    with pytest.raises(InvalidInput, match="2,000 operations, too many to be followed"):
        timeline("naive", Problem.square(2048, 64), 1000)
    with pytest.raises(InvalidInput, match="follow the steps"):
        timeline("naive", Problem.square(2048, 64), 1000, resolution="moves")
    with pytest.raises(InvalidInput, match="'moves' or 'steps'"):
        timeline("naive", Problem.square(4, 2), 100, resolution="hours")


def test_a_run_that_differs_from_the_machine_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    import pebble.lab.timeline as module

    def wrong(pebbling: Any) -> Any:
        time, held, highest, reads, writes = correct(pebbling)
        return time, held, highest, reads + 1, writes

    correct = module._by_moves
    monkeypatch.setattr(module, "_by_moves", wrong)
    with pytest.raises(PebbleError, match="please report this"):
        timeline("flash-2", Problem.square(4, 2), 16)


# Axes


def draw_all(one: Any, pair: Any) -> dict[str, Callable[[], Any]]:
    """Every picture, on the axes given."""
    problem = Problem.square(64, 8)
    return {
        "io": lambda: plots.io(problem, [40, 400], ["flash-2", "best"], ax=one),
        "gap": lambda: plots.gap(problem, [40, 400], ax=one),
        "arrays": lambda: plots.arrays(problem, 400, ["flash-2"], ax=one),
        "roofline": lambda: plots.roofline(problem, "h100", schedules=["flash-2"], ax=one),
        "occupancy": lambda: plots.occupancy("flash-2", Problem.square(6, 2), 20, ax=pair),
    }


KINDS = ("io", "gap", "arrays", "roofline", "occupancy")


@pytest.mark.parametrize("kind", KINDS)
def test_given_axes_are_drawn_on_and_returned(kind: str) -> None:
    figure = Figure(figsize=(6, 5))
    above, below = figure.subplots(2)
    found = draw_all(above, (above, below))[kind]()
    assert found == (above, below) if kind == "occupancy" else found is above
    assert above.has_data()
    assert tuple(figure.get_size_inches()) == (6, 5)
    assert kind == "occupancy" or not below.has_data()
    figure.savefig(streams.BytesIO(), format="png")


@pytest.mark.parametrize("kind", KINDS)
def test_without_axes_there_are_new_ones_and_no_pyplot(kind: str) -> None:
    loaded = "matplotlib.pyplot" in sys.modules
    found = draw_all(None, None)[kind]()
    axes = found if kind == "occupancy" else (found,)
    assert all(ax.get_title() or kind == "occupancy" for ax in axes)
    assert axes[0].get_title()
    assert axes[-1].get_xlabel()
    assert all(ax.get_ylabel() or kind == "arrays" for ax in axes)
    assert ("matplotlib.pyplot" in sys.modules) == loaded


def test_the_style_of_the_user_is_left_alone() -> None:
    before = dict(matplotlib.rcParams)
    plots.save(plots.io(PROBLEM, [40, 60], ["naive"]), Path(matplotlib.get_cachedir()) / "unused.png")
    (Path(matplotlib.get_cachedir()) / "unused.png").unlink()
    assert dict(matplotlib.rcParams) == before


def test_occupancy_wants_a_pair() -> None:
    one: Any = Figure().subplots()
    with pytest.raises(InvalidInput, match="a pair of axes"):
        plots.occupancy("flash-2", PROBLEM, 60, ax=one)


def test_names_at_the_ends_do_not_lie_on_each_other() -> None:
    ax = plots.io(Problem.square(256, 16), [300, 10**5])
    ax.figure.canvas.draw()
    right: list[Any] = [text for text in ax.texts if getattr(text, "anncoords", "") == "axes fraction"]
    boxes = sorted((box.y0, box.y1) for box in (Text.get_window_extent(text) for text in right))
    assert len(boxes) > 8
    assert all(above[0] >= below[1] - 2 for below, above in pairwise(boxes))


def test_spread_keeps_order_and_distance() -> None:
    moved = spread([0.3, 0.3, 0.31, 0.9], 0.1)
    assert moved == sorted(moved)
    assert all(b - a >= 0.1 - 1e-9 for a, b in pairwise(moved))
    assert spread([], 0.1) == []


# Grey


def test_lines_and_fills_differ_without_colour() -> None:
    names = [*dict.fromkeys([*available("forward"), *available("backward")]), "mine", "yours"]
    seen = [(str(style["linestyle"]), style["marker"]) for style in styles.lines(names).values()]
    assert len(set(seen)) == len(names)
    arrays = [*styles.STYLED_ARRAYS, "X"]
    seen = [(style["facecolor"], style["hatch"]) for style in styles.fills(arrays).values()]
    assert len(set(seen)) == len(arrays)
    hatches = [style["hatch"] for style in styles.fills(styles.STYLED_ARRAYS).values()]
    assert len(set(hatches)) == len(hatches), "fills differ by hatch alone"


def test_every_built_in_schedule_and_array_has_its_own_style() -> None:
    assert set(available("forward")) | set(available("backward")) <= {*styles.STYLED_SCHEDULES}
    for pass_name in ("forward", "backward"):
        family = pebble.schedules(pass_name)["best"].family(replace(PROBLEM, pass_name=pass_name))
        assert {array.name for array in family.arrays} <= {*styles.STYLED_ARRAYS}


def test_the_lines_drawn_have_these_styles() -> None:
    drawn = lines_of(plots.io(PROBLEM, [60, 200], ["flash-1", "flash-2", "naive"]))
    looks = {
        (drawn[name].get_linestyle(), drawn[name].get_marker()) for name in ("flash-1", "flash-2", "naive")
    }
    assert len(looks) == 3


def test_the_heat_map_grows_darker() -> None:
    (mesh,) = plots.gap(PROBLEM, MEMORIES).collections
    shades = mesh.get_cmap()(np.linspace(0, 1, 50))[:, :3] @ np.array([0.2126, 0.7152, 0.0722])
    assert (np.diff(shades) < 0.002).all()
    assert shades[0] - shades[-1] > 0.5


# Files


@pytest.mark.parametrize("kind", KINDS)
def test_vector_files_are_valid_and_the_same_every_time(kind: str) -> None:
    first, again = (written(draw_all(None, None)[kind](), "svg") for _ in range(2))
    assert first == again
    assert ElementTree.fromstring(first).tag == "{http://www.w3.org/2000/svg}svg"
    assert b"<dc:date>" not in first


def test_the_other_formats_are_valid_and_the_same_every_time() -> None:
    from PIL import Image

    def draw(suffix: str) -> bytes:
        return written(plots.arrays(PROBLEM, 200, ["best"]), suffix)

    png, pdf = draw("png"), draw("pdf")
    assert (png, pdf) == (draw("png"), draw("pdf"))
    with Image.open(streams.BytesIO(png)) as image:
        image.load()
        assert image.format == "PNG"
        assert image.size[0] == 1200
    assert pdf.startswith(b"%PDF-")
    assert pdf.rstrip().endswith(b"%%EOF")
    assert b"CreationDate" not in pdf


def test_a_file_is_replaced_whole_or_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.svg"
    ax = plots.io(PROBLEM, [40, 60], ["naive"])
    plots.save(ax, path)
    before = path.read_bytes()

    def fail(*arguments: Any, **named: Any) -> None:
        arguments[1].write(b"half")
        raise RuntimeError("the disk is full")

    monkeypatch.setattr(Figure, "savefig", fail)
    with pytest.raises(RuntimeError):
        plots.save(ax, path)
    assert path.read_bytes() == before
    assert [item.name for item in tmp_path.iterdir()] == ["a.svg"]


@pytest.mark.parametrize("name", ["picture", "picture.xyz", "picture.jpg"])
def test_an_unknown_suffix_is_refused(name: str) -> None:
    with pytest.raises(InvalidInput, match=r"\.png, \.svg, \.pdf"):
        plots.save(Figure(), name)


def test_a_missing_folder_is_refused_before_counting(tmp_path: Path) -> None:
    result = invoke("io", "-N", "10**9", "-d", "64", "-o", str(tmp_path / "nowhere" / "a.svg"))
    assert isinstance(result.exception, InvalidInput)
    assert "does not exist" in str(result.exception)


# Errors


def test_what_to_draw_must_make_sense() -> None:
    with pytest.raises(InvalidInput, match="no size of fast memory"):
        plots.io(PROBLEM, [])
    with pytest.raises(InvalidInput, match="no problem"):
        plots.io([], 60)
    with pytest.raises(InvalidInput, match="not both"):
        plots.io([PROBLEM, Problem.square(12, 6)], [40, 60])
    with pytest.raises(InvalidInput, match="their length only"):
        plots.gap([PROBLEM, Problem.square(12, 4)], [40, 60])
    with pytest.raises(InvalidInput, match="positive whole number"):
        plots.io(PROBLEM, [40, 0])
    with pytest.raises(InvalidInput, match="nothing to draw"):
        plots.arrays(PROBLEM, 2)
    with pytest.raises(InvalidInput, match="nothing to draw"):
        plots.io(PROBLEM, [2, 3])
    with pytest.raises(InvalidInput, match="one by one"):
        plots.roofline(replace(PROBLEM, pass_name="both"), "h100")
    with pytest.raises(InvalidInput, match="no roofline here"):
        plots.roofline(PROBLEM, "zen4")
    with pytest.raises(CacheTooSmall):
        plots.occupancy("flash-2", PROBLEM, 3)


def test_without_matplotlib_the_error_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    for arguments in (
        ("io", "-N", "64", "-d", "8", "-M", "40:400:2"),
        ("occupancy", "best", "-N", "8", "-d", "2"),
    ):
        result = invoke(*arguments, "-o", "a.svg")
        assert isinstance(result.exception, InvalidInput)
        assert "pip install 'pebble-io[plot]'" in str(result.exception)
    assert invoke("io", "-N", "64", "-d", "8", "-M", "40:400:2", "--json").exit_code == 0


def test_numbers_are_there_without_matplotlib() -> None:
    code = (
        "import sys; from pebble import Problem, plots; "
        "plots.io_curves(Problem.square(8, 2), [20]); plots.occupancy_of('best', Problem.square(4, 2), 16); "
        "assert not any(name.startswith('matplotlib') for name in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


# Ranges


def test_ranges() -> None:
    assert plots.sizes("16:1Ki:4") == (16, 64, 256, 1024)
    assert plots.sizes("3:5:9") == (3, 4, 5)
    assert plots.sizes("64, 128") == (64, 128)
    assert plots.sizes("10**9") == plots.sizes("1e9") == (10**9,)
    assert plots.sizes("1KiB", "float16") == (512,)
    assert plots.spaced(7, 7, 5) == (7,)


def test_sizes_from_numpy_are_sizes() -> None:
    assert plots.io_curves(PROBLEM, np.array([60, 40]), ["naive"]).Ms == (40, 60)


@pytest.mark.parametrize(
    "text", [",", "1:2", "1:2:x", "9:3:4", "1:9:0", "1:9:99999", "a:b:3", "", "1:2:3:4", "10**99", "0**2"]
)
def test_ranges_that_cannot_be_read(text: str) -> None:
    with pytest.raises(InvalidInput):
        plots.sizes(text)


# The command


def test_command_writes_files_and_numbers(tmp_path: Path) -> None:
    problem = ("-N", "64", "-d", "8")
    for number, arguments in enumerate(
        (
            ("io", *problem, "-M", "40:400:3", "--schedule", "flash-2"),
            ("io", "-N", "64,128", "-d", "8", "-M", "100", "--schedule", "best,naive"),
            ("gap", "-d", "8", "-N", "32:128:2", "-M", "40,400"),
            ("arrays", *problem, "-M", "100", "--schedule", "best"),
            ("roofline", *problem, "--device", "h100", "--schedule", "best"),
            ("occupancy", "flash-2", "-N", "8", "-d", "2", "-M", "20"),
        )
    ):
        path = tmp_path / f"{number}.{'pdf' if number % 2 else 'svg'}"
        output = ("-o", str(path)) if number in (0, 3, 6) else ()
        result = invoke(*arguments, "--json", *output)
        assert result.exception is None, arguments
        assert path.exists() == bool(output)
        document = json.loads(result.stdout)
        assert document["schema_version"] == 1
        assert document["plot"] == arguments[0]
    assert (tmp_path / "0.svg").read_bytes().startswith(b"<?xml")
    assert (tmp_path / "3.pdf").read_bytes().startswith(b"%PDF")


def test_command_numbers_equal_the_counts() -> None:
    document = json.loads(invoke("io", "-N", "64", "-d", "8", "-M", "40,400", "--json").stdout)
    assert [point["M"] for point in document["points"]] == [40, 400]
    for name, values in document["schedules"].items():
        assert values == [pebble.count(Problem.square(64, 8), M, [name])[name].io for M in (40, 400)]


def test_command_has_default_sizes() -> None:
    document = json.loads(invoke("io", "-N", "64", "-d", "8", "--schedule", "naive", "--json").stdout)
    sizes = [point["M"] for point in document["points"]]
    assert (sizes[0], sizes[-1]) == (16, 256 * 64)
    document = json.loads(
        invoke(
            "io", "-N", "1024", "-d", "8", "-M", "100", "--against", "N", "--schedule", "naive", "--json"
        ).stdout
    )
    assert [point["problem"]["Nk"] for point in document["points"]][-1] == 1024
    document = json.loads(invoke("gap", "-d", "2", "-M", "100", "--schedule", "naive", "--json").stdout)
    assert (document["problems"][0]["Nq"], document["problems"][-1]["Nq"]) == (8, 2048)


@pytest.mark.parametrize(
    "arguments",
    [
        ("io", "-N", "64", "-d", "8"),
        ("io", "-N", "64,128", "-d", "8", "--json"),
        ("io", "-N", "64,128", "-d", "8", "-M", "100,200", "--json"),
        ("io", "-N", "64,128", "--kv", "9", "-d", "8", "-M", "100", "--json"),
        ("roofline", "-N", "64", "-d", "8", "--json"),
        ("oi",),
    ],
)
def test_command_refuses_what_makes_no_sense(arguments: tuple[str, ...]) -> None:
    result = invoke(*arguments)
    assert result.exit_code == 2
    assert "Traceback" not in result.output


def test_the_page_lists_every_picture() -> None:
    page = Path(__file__).resolve().parents[2] / "docs" / "plots.md"
    text = page.read_text(encoding="utf-8")
    for kind in KINDS:
        assert f"## `pebble plot {kind}`" in text
