"""Options that several commands share: the problem, the heads, the memory, the schedules, the tiles."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from math import isnan
from typing import TYPE_CHECKING, Any

import click

from pebble.cli.completion import devices, masks, models, schedules
from pebble.cli.printing import F
from pebble.common.errors import InvalidInput
from pebble.common.units import bytes_per_word, parse_words
from pebble.common.whole_numbers import whole_number
from pebble.computations.problem import LARGEST_SIZE, Problem
from pebble.computations.problem_form import ATTENTIONS, SOFTMAXES, SUMS

if TYPE_CHECKING:
    from pebble.lab.hardware import Model

__all__ = [
    "SEVERAL",
    "NeededOption",
    "Seconds",
    "Whole",
    "form_options",
    "given",
    "head_dimension",
    "heads_options",
    "memory_options",
    "names_of",
    "needed_memory_options",
    "optional_words_of",
    "parse_tiles",
    "problem_of",
    "problem_options",
    "require",
    "schedules_option",
    "tiles_option",
    "words_of",
]


_FORM_OPTIONS = ("softmax", "attention", "gate", "chunk", "shared_values", "shared_rope", "sums")

SEVERAL = "one, several (64,128), or FIRST:LAST:COUNT at equal ratios (256:1Mi:25)"


class Whole(click.ParamType):  # type: ignore[type-arg,unused-ignore]
    """A positive whole number; ``10**9``, ``1e9``, ``4Ki`` and ``1_000`` are too."""

    name = "n"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Read the number, or fail with what is wrong about it."""
        if isinstance(value, int):
            return value
        number = whole_number(str(value))
        if number is None:
            self.fail(f"{value!r} is not a whole number", param, ctx)
        if number < 1:
            self.fail(f"{value} is not positive", param, ctx)
        if number > LARGEST_SIZE:
            self.fail(f"{value} is too large; at most {LARGEST_SIZE:,}", param, ctx)
        return number


class Seconds(click.FloatRange):
    """Seconds that something may take, 0 or more; ``nan`` is refused, for no clock ever passes it."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Read the seconds, or fail with what is wrong about them."""
        seconds = super().convert(value, param, ctx)
        if isnan(seconds):
            self.fail(f"{value} is not a number of seconds", param, ctx)
        return seconds


class NeededOption(click.Option):
    """An option that must be given, unless one of some others is.

    Parameters
    ----------
    unless : sequence of str
        Names of their parameters.
    """

    def __init__(self, *arguments: Any, unless: Sequence[str], **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.unless = unless

    def process_value(self, ctx: click.Context, value: Any) -> Any:
        """Read the value, or fail if it is missing."""
        if not given([str(self.name), *self.unless], ctx):
            raise click.MissingParameter(ctx=ctx, param=self)
        return super().process_value(ctx, value)


def given(names: Iterable[str], context: click.Context | None = None) -> bool:
    """Tell whether any of these parameters was given on the command line."""
    context = context or click.get_current_context()
    return any(context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE for name in names)


def require(wanted: Iterable[Sequence[str]], context: click.Context | None = None) -> None:
    """Refuse if a command lacks parameters, naming all at once: of each group the first, unless one of it is given."""
    context = context or click.get_current_context()
    known = {one.name: one for one in context.command.params}
    missing = []
    for group in wanted:
        if not given(group, context):
            one, *others = (known[name] for name in group)
            text = one.human_readable_name if isinstance(one, click.Argument) else one.opts[0]
            instead = f" (or {', '.join(repr(other.opts[-1]) for other in others)})" if others else ""
            missing.append(f"{one.param_type_name} '{text}'{instead}")
    if missing:
        raise click.UsageError(f"Missing {', '.join(missing)}.", context)


def problem_options(optional: Sequence[str] = (), several_lengths: bool = False) -> Callable[[F], F]:
    """Add the sizes of a problem, its pass and mask, or the name of a model that sets d, dv and the heads.

    Parameters
    ----------
    optional : sequence of str
        Which of ``nq`` and ``d`` need not be given; a command that needs them all the same calls :func:`require`.
    several_lengths : bool
        Whether ``-N`` is a text that may stand for several lengths.
    """
    whole = Whole()
    text = f": {SEVERAL}" if several_lengths else ""
    return _options(
        click.option(
            "-N",
            "--nq",
            "nq",
            type=str if several_lengths else whole,
            required="nq" not in optional,
            metavar="N",
            help=f"Number of queries (and of keys){text}.",
        ),
        click.option("--kv", type=whole, help="Number of keys and values, if not N."),
        head_dimension("Head dimension of Q and K.", "d" in optional),
        click.option("--dv", type=whole, help="Head dimension of V, if not d."),
        click.option(
            "--model",
            shell_complete=models,
            help="Take d, dv and the heads of a model (pebble models); -d, --dv, --heads and --kv-heads come first.",
        ),
        heads_options,
        click.option("--batch", type=whole, default=1, help="Multiplies counts and bounds."),
        click.option(
            "--pass",
            "pass_name",
            type=click.Choice(["forward", "backward", "both", "weights"]),
            default="forward",
            help="Which pass (default forward).",
        ),
        click.option("--stats", is_flag=True, help="Row sums are outputs too, as training needs."),
        form_options,
        click.option(
            "--computation",
            type=click.File(encoding="utf-8"),
            help="A file with the text of another attention, a line for each array.",
        ),
        click.option(
            "--sums",
            type=click.Choice(SUMS),
            default="chain",
            help="Sums over queries and keys are added in the order of the indices (chain, default), or in any (free).",
        ),
        click.option(
            "--mask", shell_complete=masks, help="causal, window:256, file:m.npy, … (see: pebble masks)."
        ),
        click.option(
            "--empty-rows",
            type=click.Choice(["error", "zero"]),
            default="error",
            help="Queries that attend to nothing: refused (default), or an output of zero.",
        ),
    )


def head_dimension(text: str, optional: bool = False) -> Callable[[F], F]:
    """Add ``-d``, which must be given unless ``--model`` is, or not even then."""
    needed: dict[str, Any] = {} if optional else {"cls": NeededOption, "unless": ["model"]}
    return click.option("-d", "d", type=Whole(), help=text, **needed)


def form_options(function: F) -> F:
    """Add the options that choose which attention is computed: with which softmax, or linear."""
    return _options(
        click.option(
            "--softmax",
            type=click.Choice(SOFTMAXES),
            default="plain",
            help="Without the maximum (plain, the default), with the row's (safe) or with the running one (online).",
        ),
        click.option(
            "--attention",
            type=click.Choice(ATTENTIONS),
            default="softmax",
            help="With softmax (default), or linear: the product Q(KᵀV), under --mask causal a recurrence.",
        ),
        click.option(
            "--gate", is_flag=True, help="Causal linear attention whose state is gated at each token."
        ),
        click.option("--chunk", type=Whole(), help="Causal linear attention, so many tokens at a time."),
        click.option(
            "--shared-values",
            is_flag=True,
            help="V is the first dv words of each row of K, as in latent attention that is decoded (MLA).",
        ),
        click.option(
            "--shared-rope",
            type=click.IntRange(min=0),
            default=0,
            metavar="WORDS",
            help="So many words of each key are the same for all heads, as the rotary ones of MLA in training.",
        ),
    )(function)


def heads_options(function: F) -> F:
    """Add ``--heads`` and ``--kv-heads``."""
    return _options(
        click.option("--heads", type=Whole(), help="Query heads: multiply counts and bounds (default 1)."),
        click.option(
            "--kv-heads",
            type=Whole(),
            help="Heads of keys and values that the query heads share evenly (default: each has its own).",
        ),
    )(function)


def _options(*options: Callable[[F], F]) -> Callable[[F], F]:
    """Add options in the order in which the help lists them."""

    def decorate(function: F) -> F:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


def problem_of(options: dict[str, Any]) -> Problem:
    """Take the problem's options out of a command's and make the problem."""
    nq, kv, model = (options.pop(name) for name in ("nq", "kv", "model"))
    shape = {name: options.pop(name) for name in ("d", "dv", "heads", "kv_heads")}
    mask, empty_rows = options.pop("mask"), options.pop("empty_rows")
    same = {name: options.pop(name) for name in ("batch", "stats", "pass_name", *_FORM_OPTIONS)}
    computation = options.pop("computation")
    if computation is not None:
        if model is not None:
            raise click.UsageError("--computation: give -d, --dv and the heads, not a model.")
        same["computation"] = computation.read()
    if model is not None:
        from pebble.lab.hardware import model as model_of

        changed = model_of(model).changed(**shape)
        if changed.group < model_of(model).group:
            click.echo(_shares_less(model_of(model), changed), err=True)
        if same.pop("shared_values") and not changed.shared_values:
            raise click.UsageError(
                f"--shared-values: the model {model} has values of their own; leave one out."
            )
        if rope := same.pop("shared_rope"):
            changed = replace(changed, shared_rope=rope)
        return changed.problem(nq, kv, mask=mask, empty_rows=empty_rows, **same)
    d = shape["d"]
    if mask is not None:
        from pebble.computations.masks import make_mask

        mask = make_mask(mask, nq, kv or nq, empty_rows=empty_rows)
    heads, kv_heads = shape["heads"] or 1, shape["kv_heads"]
    return Problem(nq, kv or nq, d, shape["dv"] or d, heads=heads, kv_heads=kv_heads, mask=mask, **same)


def _shares_less(model: Model, changed: Model) -> str:
    return (
        f"note: {model.group} query heads of {model.key} share each head of keys and values, and here "
        f"{changed.group}: counts and bounds are of this computation, and its bounds do not hold for the model's, "
        "where more is shared"
    )


def memory_options(function: F) -> F:
    """Add ``-M``, ``--device``, ``--level`` and ``--dtype``, for :func:`optional_words_of`."""
    return _memory_options()(function)


def needed_memory_options(*unless: str) -> Callable[[F], F]:
    """Add the same, one of ``-M``, ``--device`` and other options being needed, for :func:`words_of`."""
    return _memory_options(cls=NeededOption, unless=["device", *unless])


def _memory_options(**needed: Any) -> Callable[[F], F]:
    return _options(
        click.option(
            "-M",
            "memory",
            help="Fast memory in words (98304, 1e5, 96Ki) or bytes (192KiB, with a dtype).",
            **needed,
        ),
        click.option(
            "--device",
            shell_complete=devices,
            help="Take M from a device, with a dtype (see: pebble devices).",
        ),
        click.option("--level", help="With a device: smem, smem+regs or l2."),
        click.option("--dtype", help="What a word is, if M is in bytes: float16, bf16, float32, …"),
    )


def words_of(options: dict[str, Any]) -> int:
    """Take the memory's options out of a command's; words of fast memory, which must be given."""
    require([["memory", "device"]])
    M = optional_words_of(options)
    assert M is not None
    return M


def optional_words_of(options: dict[str, Any]) -> int | None:
    """Take the memory's options out of a command's; words of fast memory, None if they are not given."""
    memory, device, level, dtype = (options.pop(name) for name in ("memory", "device", "level", "dtype"))
    if dtype is not None:
        bytes_per_word(dtype)
    if device is None:
        if level is not None:
            raise click.UsageError("--level goes with --device.")
        return None if memory is None else parse_words(memory, dtype)
    if memory is not None:
        raise click.UsageError("-M and --device both say how large fast memory is: give one of them.")
    if dtype is None:
        raise click.UsageError(
            "a device's memory is in bytes: say what a word is with --dtype, such as bf16."
        )
    from pebble.lab.hardware.device import memory_words

    return memory_words(None, device, level, dtype)


def schedules_option(text: str = "Which schedules (repeat, or a,b); default all.") -> Callable[[F], F]:
    """Add ``--schedule``, for :func:`names_of`."""
    return click.option(
        "--schedule", "names", multiple=True, metavar="NAME", shell_complete=schedules, help=text
    )


def names_of(texts: Iterable[str]) -> list[str]:
    """Return the names in options that are repeated, or take several with commas; each once."""
    names = (name.strip() for text in texts for name in text.split(","))
    return list(dict.fromkeys(name for name in names if name))


def tiles_option(function: F) -> F:
    """Add ``--tiles``."""
    return click.option(
        "--tiles",
        help="Tile sizes (rows=64,cols=32, or Br=64,Bc=32, or BLOCK_M=64,BLOCK_N=32), or a preset's name (literal, "
        "paper); chosen if not given.",
    )(function)


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
            raise InvalidInput(f"tiles {text!r} give {name} twice")
        tiles[name] = int(size)
    return tiles
