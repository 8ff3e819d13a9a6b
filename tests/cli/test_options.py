"""What no command takes: sizes, memory, tiles and names that make no sense get one clear line."""

from __future__ import annotations

import pytest

from tests.support.commands import COUNT, SIZES, Pebble, document_of


@pytest.mark.parametrize(
    ("text", "number"), [("1000", 1000), ("1_000", 1000), ("1,000", 1000), ("10**3", 1000), ("1e3", 1000)]
)
def test_sizes_may_be_written_in_several_ways(pebble: Pebble, text: str, number: int) -> None:
    document = document_of(pebble("bounds", "-N", text, "-d", "4", "-M", "100", "--json"))
    assert document["problem"]["Nq"] == number


def test_a_decimal_prefix_says_what_it_was_taken_for(pebble: Pebble) -> None:
    done = pebble("bounds", "-N", "4k", "-d", "4", "-M", "100", "--json")
    assert document_of(done)["problem"]["Nq"] == 4000
    assert done.err == "pebble: 4k is 4,000; 4Ki is 4,096\n"


@pytest.mark.parametrize("text", ["1e5", "10**5", "100_000", "100,000", "100k", "0.1M", "200kB"])
def test_memory_is_written_as_sizes_are(pebble: Pebble, text: str) -> None:
    done = pebble("bounds", "-N", "1e3", "-d", "4", "-M", text, "--dtype", "float16", "--json")
    assert document_of(done)["M"] == 100_000


# -- what is refused as unusable


BAD_SIZES = ["0", "-1", "1.5", "nan", "inf", "-inf", "", "x", "10**-1", "2**0.5", "--5", "1e-3", "10**10**10"]


HUGE = ["1e400", "1e20", "9223372036854775808", "10**30", "10**100000"]


@pytest.mark.parametrize("option", ["-N", "--kv", "-d", "--dv", "--heads", "--batch"])
@pytest.mark.parametrize("text", BAD_SIZES)
def test_bad_sizes(pebble: Pebble, option: str, text: str) -> None:
    sizes = {"-N": "64", "-d": "4", option: text}
    arguments = [part for pair in sizes.items() for part in pair]
    pebble("count", *arguments, "-M", "100").refused(2, option)


@pytest.mark.parametrize("text", HUGE)
def test_huge_sizes(pebble: Pebble, text: str) -> None:
    done = pebble("count", "-N", text, "-d", "4", "-M", "100", "--schedule", "flash-2")
    if done.code != 0:
        done.refused(2)


def test_huge_memory(pebble: Pebble) -> None:
    done = pebble("count", "-N", "8", "-d", "4", "-M", "1" + 80 * "0")
    if done.code != 0:
        done.refused(2)


def test_sizes_are_read_exactly(pebble: Pebble) -> None:
    number = 123_456_789_012_345_678
    document = document_of(pebble("bounds", "-N", f"{number}e0", "-d", "4", "-M", "100", "--json"))
    assert document["problem"]["Nq"] == number


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["-M", "0"], ["'0'", "less than one word"]),
        (["-M", "-1"], ["'-1'", "cannot read"]),
        (["-M", "1.5"], ["'1.5'", "whole number"]),
        (["-M", "1e-5"], ["'1e-5'", "whole number"]),
        (["-M", "10**-5"], ["'10**-5'", "cannot read"]),
        (["-M", "1e99"], ["'1e99'", "too large"]),
        (["-M", "nan"], ["'nan'"]),
        (["-M", ""], ["''"]),
        (["-M", "192KiB"], ["bytes", "dtype"]),
        (["-M", "1B", "--dtype", "float16"], ["less than one word"]),
        (["-M", "192KiB", "--dtype", "float17"], ["float17", "float16"]),
        (["-M", "100", "--dtype", "float17"], ["float17", "float16"]),
    ],
)
@pytest.mark.parametrize("command", ["count", "bounds", "show", "moves"])
def test_bad_memory(pebble: Pebble, command: str, arguments: list[str], words: list[str]) -> None:
    head = {"show": ["show", "flash-2"], "moves": ["moves", "flash-2", "-o", "-"]}.get(command, [command])
    done = pebble(*head, *SIZES, *arguments)
    done.refused(2, *words)
    assert done.out == ""


@pytest.mark.parametrize("command", ["count", "show", "moves"])
def test_unknown_schedule_is_guessed_at(pebble: Pebble, command: str) -> None:
    for name, words in (("flash-3", ["did you mean flash-2?"]), ("zzz", ["small-cache"])):
        head = {"count": ["count", "--schedule", name], "show": ["show", name]}
        done = pebble(*head.get(command, ["moves", name, "-o", "-"]), *SIZES, "-M", "100")
        done.refused(2, f"'{name}'", *words)


@pytest.mark.parametrize(
    ("tiles", "words"),
    [
        ("rows=", ["'rows='", "example"]),
        ("=3", ["'=3'"]),
        ("rows=x", ["'rows=x'"]),
        ("rows=-1", ["'rows=-1'"]),
        ("rows=1.5", ["'rows=1.5'"]),
        ("rows=2,", ["''"]),
        ("rows=²", ["²"]),
        ("rows=0", ["rows=0", "≥ 1"]),
        ("rows=3,rows=4", ["rows is given twice"]),
        ("rows=3,foo=4", ["foo", "rows, cols"]),
        ("papr", ["'papr'", "literal, paper"]),
        ("", ["literal, paper"]),
    ],
)
@pytest.mark.parametrize("command", ["count", "show", "moves"])
def test_bad_tiles(pebble: Pebble, command: str, tiles: str, words: list[str]) -> None:
    heads = {"count": ["count", "--schedule", "flash-2"], "show": ["show", "flash-2"]}
    head = heads.get(command, ["moves", "flash-2", "-o", "-"])
    pebble(*head, *SIZES, "-M", "100", "--tiles", tiles).refused(2, *words)


def test_commands_and_options_that_are_not_there(pebble: Pebble) -> None:
    pebble("coutn").refused(2, "coutn", "Did you mean 'count'?")
    pebble("frobnicate").refused(2, "frobnicate")
    pebble(*COUNT, "--frob").refused(2, "--frob")
    pebble("count", *SIZES).refused(2, "-M")
    pebble("count", "-d", "4", "-M", "9").refused(2, "-N")
    pebble("schedules", "more").refused(2, "more")
    pebble("check").refused(2, "FILE")
    pebble(*COUNT, "flash-2").refused(2, "flash-2", "--schedule")
    pebble(*COUNT, "--json", "--csv").refused(2, "--json", "--csv")


def test_no_command_shows_the_commands(pebble: Pebble) -> None:
    done = pebble()
    assert done.code == 2
    for name in ("count", "show", "bounds", "schedules", "moves", "check"):
        assert f"  {name} " in done.out + done.err


def test_version(pebble: Pebble) -> None:
    from importlib.metadata import version

    assert pebble("--version").out.split()[-1] == version("pebble-io")


@pytest.mark.parametrize(
    "command",
    [
        ("dag", "schedule", "fft:8", "-M", "4", "--time", "nan"),
        ("dag", "optimal", "fft:4", "-M", "3", "--time-limit", "nan"),
        ("certify", "fft:4", "-M", "3", "--time", "nan"),
        ("kernel", "y[i] += A[i,j]*x[j]", "-N", "i=4,j=4", "-M", "8", "--time", "nan"),
        ("play", "naive", "--time-limit", "nan"),
    ],
)
def test_seconds_that_are_no_number_are_refused(pebble: Pebble, command: tuple[str, ...]) -> None:
    """No clock ever passes ``nan``: the search would not end."""
    pebble(*command).refused(2, "nan is not a number of seconds")


LENGTH, HEAD, MEMORY = "option '-N'", "option '-d' (or '--model')", "option '-M' (or '--device'"


@pytest.mark.parametrize(
    ("arguments", "missing"),
    [
        ("play flash-2", [LENGTH, HEAD, f"{MEMORY}, '--tiles')", "option '-o'"]),
        ("play flash-2 -N 4 --model gpt2", [f"{MEMORY}, '--tiles')", "option '-o'"]),
        ("play fft:4", [f"{MEMORY})", "option '-o'"]),
        ("play ring -P 4", ["option '-N'", HEAD, "option '-o'"]),
        (
            "moves",
            ["argument 'SCHEDULE'", LENGTH, HEAD, f"{MEMORY}, '--tiles', '--levels', '-P')", "option '-o'"],
        ),
        ("moves flash-2 --tiles rows=2 -o x", [LENGTH, HEAD]),
        ("show flash-2 -d 2", [LENGTH, f"{MEMORY}, '--tiles', '--levels')"]),
        ("count", [LENGTH, HEAD, f"{MEMORY}, '--levels')"]),
        ("count --levels 43,140", [LENGTH, HEAD]),
        ("bounds -N 4", [HEAD, f"{MEMORY})"]),
        ("plan", [LENGTH, HEAD, f"{MEMORY}, '--levels')"]),
        ("check", ["argument 'FILE'"]),
        ("certify", ["argument 'DAG'", f"{MEMORY}, '--pebbling')", "option '-o'"]),
        ("parallel", ["option '-N' (or '--documents')", "option '-P'", HEAD]),
        ("sweep -N 4", ["option '-d'", f"{MEMORY}, '--levels')", "option '-o'"]),
        ("plot gap", [HEAD, "option '-o' (or '--json')"]),
        ("dag optimal", ["argument 'DAG'", f"{MEMORY})"]),
    ],
)
def test_all_that_is_missing_is_said_at_once(pebble: Pebble, arguments: str, missing: list[str]) -> None:
    done = pebble(*arguments.split())
    done.refused(2)
    assert f"Error: Missing {', '.join(missing)}." in done.err
    assert arguments == "check" or ". Example: pebble " in done.err
