"""What the shell is offered where a name of something is due."""

from __future__ import annotations

import pytest
from click.shell_completion import ShellComplete

from pebble.cli import group, main
from pebble.computations.load import load_dag
from pebble.computations.masks import make_mask
from pebble.computations.named_dags import NAMED_DAGS
from pebble.computations.nests.polybench import KERNELS
from pebble.lab.hardware import devices, models
from pebble.program.schedule import available


def _offered(line: str) -> list[str]:
    *words, incomplete = line.split(" ")
    return [
        item.value
        for item in ShellComplete(group, {}, "pebble", "_PEBBLE_COMPLETE").get_completions(words, incomplete)
    ]


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("count -N 9 --schedule flash-2,be", ["flash-2,best"]),
        ("count -N 9 small", ["small-cache"]),
        ("show flash-1", ["flash-1"]),
        ("moves flash-2-p", ["flash-2-pinned"]),
        ("count --device h1", ["h100"]),
        ("devices h1", ["h100"]),
        ("regimes --device a100,h1", ["a100,h100"]),
        ("plot roofline --device a10", ["a100"]),
        ("count --mask cau", ["causal"]),
        ("sweep --mask window", ["window:"]),
        ("dag info fft", ["fft:64"]),
        ("certify hyper", ["hypercube:6"]),
        ("dag optimal pyr", ["pyramid:5"]),
    ],
)
def test_names_are_completed(line: str, names: list[str]) -> None:
    offered = _offered(line)
    assert set(names) <= set(offered)
    assert all(text.startswith(line.split(" ")[-1]) for text in offered)


def test_everything_is_offered_and_is_real() -> None:
    assert _offered("count -N 9 --schedule ") == list(available("forward"))
    assert set(_offered("count --pass both --schedule ")) == {*available("forward"), *available("backward")}
    assert _offered("count --pass weights --schedule ") == list(available("weights"))
    assert _offered("count --device ") == list(devices())
    assert _offered("models ") == list(models())
    assert [text.partition(":")[0] for text in _offered("dag info ")] == list(NAMED_DAGS)
    assert _offered("kernel ") == list(KERNELS)
    for text in _offered("dag info "):
        assert load_dag(text).n_vertices
    assert "causal" in _offered("count --mask ")
    make_mask("causal", 3, 3)


def test_the_script_for_a_shell_is_there(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As the page of the command line says: the program prints it."""
    monkeypatch.setenv("_PEBBLE_COMPLETE", "bash_source")
    monkeypatch.setattr("sys.argv", ["pebble"])
    with pytest.raises(SystemExit):
        main()
    assert "_PEBBLE_COMPLETE=bash_complete" in capsys.readouterr().out
