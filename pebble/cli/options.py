"""Options that several commands share: the problem, the heads, the memory, the schedules, the tiles."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from math import isnan
from typing import IO, TYPE_CHECKING, Any

import click

from pebble.cli.completion import devices, masks, models, schedules
from pebble.cli.signature import Amount, Options, given, group, needed, option, require
from pebble.common.errors import InvalidInput
from pebble.common.units import bytes_per_word, parse_words
from pebble.computations.problem import Problem
from pebble.computations.problem_form import ATTENTIONS, SOFTMAXES, SUMS

if TYPE_CHECKING:
    from pebble.lab.hardware import Model

SEVERAL = "one, several (64,128), or FIRST:LAST:COUNT at equal ratios (256:1Mi:25)"


class Limit(click.FloatRange):
    """What something may take or reach; ``nan`` is refused, for nothing ever passes it."""

    what = "a number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Read the limit, or fail with what is wrong about it."""
        limit = super().convert(value, param, ctx)
        if isnan(limit):
            self.fail(f"{value} is not {self.what}", param, ctx)
        return limit


class Seconds(Limit):
    """Seconds that something may take."""

    what = "a number of seconds"


def names_of(texts: Iterable[str]) -> list[str]:
    """Return the names in options that are repeated, or take several with commas; each once."""
    names = (name.strip() for text in texts for name in text.split(","))
    return list(dict.fromkeys(name for name in names if name))


def parse_tiles(text: str | None) -> dict[str, int] | str | None:
    """Read ``rows=64,cols=32``, or a preset's name.

    >>> parse_tiles("rows=64,cols=32"), parse_tiles("paper")
    ({'rows': 64, 'cols': 32}, 'paper')
    """
    if text is None or "=" not in text:
        return text
    tiles: dict[str, int] = {}
    for part in text.split(","):
        name, equals, size = (piece.strip() for piece in part.partition("="))
        if not equals or not name or not (size.isascii() and size.isdigit()):
            raise InvalidInput(f"cannot read tiles {text!r} at {part!r}; example: rows=64,cols=32")
        if name in tiles:
            raise InvalidInput(f"tiles {text!r}: {name} is given twice")
        tiles[name] = int(size)
    return tiles


def _text_of(file: IO[str]) -> str:
    try:
        with file:
            return file.read()
    except UnicodeDecodeError:
        raise InvalidInput(f"{file.name} is not UTF-8 text") from None


SCHEDULES = option(
    "Schedules: a,b, or repeat the option; kernel.py:Name takes one from a file.",
    "--schedule",
    multiple=True,
    metavar="NAME",
    shell_complete=schedules,
    callback=lambda context, param, texts: names_of(texts) or None,
)
TILES = option(
    "Tile sizes (rows=64,cols=32; Br=64,Bc=32; BLOCK_M=64,BLOCK_N=32) or a preset (literal, paper). Default: the best "
    "that fit.",
    callback=lambda context, param, text: parse_tiles(text),
)

ACCUMULATE = option(
    "Add partial sums of U and l, or dQ, dK and dV, in slow memory (atomics, red.add): one word each, without a load.",
    advanced=True,
)


class FormOptions(Options):
    """Which attention is computed: with which softmax, or linear."""

    softmax: str = option(
        "plain (default) subtracts no maximum, safe the row's maximum, online the running maximum.",
        type=click.Choice(SOFTMAXES),
        default="plain",
        advanced=True,
    )
    attention: str = option(
        "softmax (default), or linear: the product Q(KᵀV), a recurrence under --mask causal.",
        type=click.Choice(ATTENTIONS),
        default="softmax",
        advanced=True,
    )
    gate: bool = option("Causal linear attention: gate the state at each token.", advanced=True)
    chunk: int | None = option("Causal linear attention: process N tokens at a time.", advanced=True)
    shared_values: bool = option(
        "V is the first dv words of each row of K, as in MLA decoding.", advanced=True
    )
    shared_rope: int = option(
        "Words of each key that all heads share, such as the rotary words in MLA training.",
        type=click.IntRange(min=0),
        default=0,
        metavar="WORDS",
        advanced=True,
    )


class ProblemOptions(Options):
    """The sizes of a problem, its pass and mask, or the name of a model that sets d, dv and the heads."""

    nq: int = option("Number of queries (and of keys).", "-N", "--nq", required=True, metavar="N")
    kv: int | None = option("Number of keys and values, if not N.", advanced=True)
    d: int | None = option("Head dimension of Q and K.", "-d", **needed("model"))
    dv: int | None = option("Head dimension of V, if not d.", advanced=True)
    model: str | None = option(
        "Take d, dv and the heads from a model (see: pebble models); -d, --dv, --heads and --kv-heads override it.",
        shell_complete=models,
    )
    heads: int | None = option("Number of query heads; counts and bounds cover all of them (default 1).")
    kv_heads: int | None = option(
        "Number of key-value heads, shared evenly by the query heads (default: one each).", advanced=True
    )
    batch: int = option("Batch size; multiplies counts and bounds (default 1).", default=1, advanced=True)
    pass_name: str = option(
        "Pass (default forward).",
        "--pass",
        type=click.Choice(["forward", "backward", "both", "weights"]),
        default="forward",
    )
    stats: bool = option("Also output the row sums, which training needs.", advanced=True)
    form: FormOptions = group(FormOptions)
    computation: str | None = option(
        "A text file that defines another attention, one array per line.",
        type=click.File(encoding="utf-8"),
        advanced=True,
        callback=lambda context, param, file: None if file is None else _text_of(file),
    )
    sums: str = option(
        "How to add up sums over queries and keys: by index (chain, default), in any order (free), or also in slow "
        "memory (accumulate).",
        type=click.Choice(SUMS),
        default="chain",
        advanced=True,
    )
    sum_width: int = option(
        "Words that a sum over queries or keys takes (default 1); 2 for 32-bit sums with 16-bit inputs.",
        type=click.IntRange(1, 8),
        default=1,
        advanced=True,
    )
    mask: Any = option("Mask: causal, window:256, file:m.npy, … (see: pebble masks).", shell_complete=masks)
    empty_rows: str = option(
        "If a query attends to no key: refuse it (error, default) or output zero.",
        type=click.Choice(["error", "zero"]),
        default="error",
        advanced=True,
    )

    def problem(self, accumulate: bool = False) -> Problem:
        """Make the problem; ``accumulate`` stands for its value of ``--sums``."""
        self.sums = "accumulate" if accumulate else self.sums
        same: dict[str, Any] = {
            **vars(self.form),
            **{name: getattr(self, name) for name in ("batch", "stats", "pass_name", "sums", "sum_width")},
        }
        if self.computation is not None:
            if self.model is not None:
                raise click.UsageError(
                    "--computation cannot be combined with --model: give -d, --dv and the heads."
                )
            same["computation"] = self.computation
        if self.model is not None:
            return self._of_model(self.model, same)
        mask, kv = self.mask, self.kv or self.nq
        if mask is not None:
            from pebble.computations.masks import make_mask

            mask = make_mask(mask, self.nq, kv, empty_rows=self.empty_rows)
        d: Any = self.d
        return Problem(
            self.nq, kv, d, self.dv or d, heads=self.heads or 1, kv_heads=self.kv_heads, mask=mask, **same
        )

    def heads_apart(self, accumulate: bool) -> Problem:
        """Make the problem of the same query heads with keys and values of their own, which a kernel loads for each."""
        shared = self.problem(accumulate)
        if shared.group == 1 or shared.pass_name != "forward":
            raise click.UsageError(
                "--heads-apart needs query heads that share keys (--kv-heads or --model), and the forward pass: "
                "backward, they add to common gradients."
            )
        return self.changed(kv_heads=shared.heads * shared.group).problem(accumulate)

    def _of_model(self, name: str, same: dict[str, Any]) -> Problem:
        from pebble.lab.hardware import model

        known = model(name)
        changed = known.changed(d=self.d, dv=self.dv, heads=self.heads, kv_heads=self.kv_heads)
        if changed.group < known.group and given(["heads", "kv_heads"]):
            click.echo(_shares_less(known, changed), err=True)
        if same.pop("shared_values") and not changed.shared_values:
            raise click.UsageError(
                f"--shared-values: the model {name} stores values separately; give one or the other."
            )
        if rope := same.pop("shared_rope"):
            changed = replace(changed, shared_rope=rope)
        return changed.problem(self.nq, self.kv, mask=self.mask, empty_rows=self.empty_rows, **same)


def _shares_less(model: Model, changed: Model) -> str:
    return (
        f"note: {model.key} has {model.group} query heads for each head of keys and values; you asked for "
        f"{changed.group}. The bounds do not hold for {model.key}, which shares more."
    )


def word_type(dtype: str | None) -> str:
    """Return the type of a word on a device; if none is given, say on standard error that it is bfloat16."""
    if dtype is None:
        click.echo("note: a word is a bfloat16; --dtype sets another type", err=True)
    return dtype or "bfloat16"


class MemoryOptions(Options):
    """Words of fast memory, or a device that has them."""

    memory: str | None = option(
        "Fast memory in words (98304, 1e5, 96Ki), or in bytes with --dtype (192KiB).", "-M", type=Amount()
    )
    device: str | None = option("Take M from a device (see: pebble devices).", shell_complete=devices)
    level: str | None = option("Memory level of --device: smem, smem+regs or l2.", advanced=True)
    dtype: str | None = option(
        "Data type of a word, for M in bytes and for bytes moved: float16, float32, … (with --device: bf16)."
    )

    def words(self) -> int:
        """Return the words of fast memory, which must be given."""
        require([["memory", "device"]])
        M = self.optional_words()
        assert M is not None
        return M

    def optional_words(self) -> int | None:
        """Return the words of fast memory; None if they are not given."""
        if self.dtype is not None:
            bytes_per_word(self.dtype)
        if self.device is None:
            if self.level is not None:
                raise click.UsageError("--level needs --device.")
            return None if self.memory is None else parse_words(self.memory, self.dtype)
        if self.memory is not None:
            raise click.UsageError("-M and --device both set the size of fast memory: give one.")
        self.dtype = word_type(self.dtype)
        from pebble.lab.hardware.device import memory_words

        return memory_words(None, self.device, self.level, self.dtype)


def needed_memory(*unless: str) -> Any:
    """Declare :class:`MemoryOptions` of which ``-M`` or ``--device`` is needed, unless some other option is given."""
    return group(MemoryOptions, memory=needed("device", *unless))


def seconds_option(help: str, flag: str) -> Any:
    """Declare an option that takes seconds, 0 or more."""
    return option(help, flag, type=Seconds(min=0))
