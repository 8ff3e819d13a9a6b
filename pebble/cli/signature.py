"""Commands made from functions: the parameters are the options, the docstring is the help."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from inspect import signature
from typing import Any, NamedTuple, Self
from weakref import WeakSet

import click

from pebble.common.whole_numbers import LARGEST_SIZE, whole_number

_DECIMAL = re.compile(r"(?<![\w.*-])(?!(?<=\d,)\d{3}\D)(\d+)([kKMG])(B?)(?!\w)")
"""A whole number with a decimal prefix; not the end of one with separators, as in ``1,024k``."""


class Amount(click.ParamType):  # type: ignore[type-arg,unused-ignore]
    """A text with sizes in it; says on standard error what ``4k`` is and what ``4Ki`` would be."""

    name = "text"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the text as it is."""
        for digits, prefix, byte in _DECIMAL.findall(str(value)):
            binary = f"{digits}{prefix.upper()}i"
            number, larger = whole_number(digits + prefix), whole_number(binary)
            unit = " bytes" if byte else ""
            note = f"{digits}{prefix}{byte} is {number:,}{unit}; {binary}{byte} is {larger:,}{unit}"
            click.echo(f"pebble: {note}", err=True)
        return value


class Whole(Amount):
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
        super().convert(value, param, ctx)
        return number


_KINDS: dict[str, dict[str, Any]] = {
    "bool": {"is_flag": True},
    "int": {"type": Whole()},
    "int | None": {"type": Whole()},
}


_ADVANCED: WeakSet[click.Parameter] = WeakSet()
"""Options that only ``--help-all`` lists."""


class _Declared(NamedTuple):
    """What a parameter of a command, or a field of a group, is on the command line."""

    flags: tuple[str, ...]
    settings: dict[str, Any]

    def parameters(self, name: str, kind: str) -> list[click.Parameter]:
        """Return it as click has it; what kind of value it takes, its annotation says where no setting does."""
        settings = _KINDS.get(kind, {}) | self.settings
        made, advanced = settings.pop("cls", click.Option), settings.pop("advanced", False)
        flags = () if made is click.Argument else self.flags or (f"--{name.replace('_', '-')}",)
        param: click.Parameter = made([*flags, name], **settings)
        if advanced:
            _ADVANCED.add(param)
        return [param]

    def take(self, name: str, values: dict[str, Any]) -> Any:
        """Take its value from the values of a command."""
        return values[name]


class _Group(NamedTuple):
    """Options in a class of their own, with what is different about them in one command."""

    made: type[Options]
    changes: dict[str, dict[str, Any]]

    def parameters(self, name: str, kind: str) -> list[click.Parameter]:
        """Return the options of the class."""
        found: list[click.Parameter] = []
        for one, its_kind in self.made.__annotations__.items():
            declared = getattr(self.made, one)
            if one in self.changes:
                declared = like(declared, **self.changes[one])
            found += declared.parameters(one, its_kind)
        return found

    def take(self, name: str, values: dict[str, Any]) -> Any:
        """Make the object of the values of a command's options."""
        return self.made(
            **{one: getattr(self.made, one).take(one, values) for one in self.made.__annotations__}
        )


class Options:
    """Options that belong together: an attribute for each, declared in the class, with its value in an object."""

    def __init__(self, **values: Any) -> None:
        vars(self).update(values)

    def changed(self, **values: Any) -> Self:
        """Return the same with some other values."""
        return type(self)(**vars(self) | values)


def option(help: str, *flags: str, **settings: Any) -> Any:
    """Declare a parameter as an option: ``--name`` unless there are flags, with settings as click has them.

    With ``advanced=True`` only ``--help-all`` lists it.
    """
    return _Declared(flags, {"help": help, **settings})


def like(declared: Any, **changes: Any) -> Any:
    """Declare a parameter like another, but with some settings changed; None removes one."""
    settings = {name: one for name, one in (declared.settings | changes).items() if one is not None}
    return _Declared(declared.flags, settings)


def argument(**settings: Any) -> Any:
    """Declare a parameter as an argument."""
    return _Declared((), {"cls": click.Argument, **settings})


def group(made: type[Options], **changes: dict[str, Any]) -> Any:
    """Declare a parameter as an object of :class:`Options`.

    Parameters
    ----------
    **changes : dict
        By the names of attributes: settings that are different in this command.
    """
    return _Group(made, changes)


def command(function: Callable[..., None]) -> click.Command:
    """Make a command of a function each of whose parameters has a declaration as its default."""
    taken = signature(function).parameters.values()
    declared: dict[str, Any] = {one.name: one.default for one in taken}
    params = [param for one in taken for param in one.default.parameters(one.name, one.annotation)]

    def call(**values: Any) -> None:
        function(**{name: one.take(name, values) for name, one in declared.items()})

    if any(one in _ADVANCED for one in params):
        params.append(_help_all())
    return _Command(function.__name__, callback=call, params=params, help=function.__doc__)


class _Command(click.Command):
    """A command whose ``--help`` leaves out the advanced options."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the options."""
        every = ctx.meta.get(_HELP_ALL, False)
        options = [one for one in self.get_params(ctx) if isinstance(one, click.Option)]
        records = [one.get_help_record(ctx) for one in options if every or one not in _ADVANCED]
        with formatter.section("Options"):
            formatter.write_dl([record for record in records if record])

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the options; where only the case or the dashes of one are wrong, say what is meant."""
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            name = error.option_name
            known = [flag for param in self.get_params(ctx) for flag in param.opts if flag.startswith("-")]
            meant = [flag for flag in known if flag.strip("-").lower() == name.strip("-").lower()]
            if not meant:
                raise
            raise click.NoSuchOption(
                name, f"No such option {name!r}. Did you mean {meant[0]!r}?", ctx=ctx
            ) from None


_HELP_ALL = "pebble.help-all"


def _help_all() -> click.Option:
    def show(ctx: click.Context, param: click.Parameter, value: bool) -> None:
        if value and not ctx.resilient_parsing:
            ctx.meta[_HELP_ALL] = True
            click.echo(ctx.get_help(), color=ctx.color)
            ctx.exit()

    settings: dict[str, Any] = {"is_flag": True, "is_eager": True, "expose_value": False, "callback": show}
    return click.Option(["--help-all"], help="Show all options and exit.", **settings)


def needed(*unless: str) -> dict[str, Any]:
    """Return the settings of an option that must be given, unless one of some others is."""
    return {"cls": NeededOption, "unless": unless}


class NeededOption(click.Option):
    """An option that must be given, unless one of some others is.

    ``unless`` are the names of their parameters.
    """

    def __init__(self, *arguments: Any, unless: Sequence[str], **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.unless = unless

    def process_value(self, ctx: click.Context, value: Any) -> Any:
        """Read the value, or fail if it is missing."""
        # Where a value comes from, some versions of click note only after this.
        if self.value_is_missing(value) and not given(self.unless, ctx):
            raise click.MissingParameter(ctx=ctx, param=self)
        return super().process_value(ctx, value)


def given(names: Iterable[str], context: click.Context | None = None) -> bool:
    """Tell whether any of these parameters was given on the command line."""
    context = context or click.get_current_context()
    return any(context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE for name in names)


def require(wanted: Iterable[Sequence[str]], context: click.Context | None = None) -> None:
    """Refuse if a command lacks parameters, naming all at once: of each group the first, unless one of it is given.

    The message ends with the first example of the command's help.
    """
    context = context or click.get_current_context()
    known = {one.name: one for one in context.command.params}
    missing = []
    for group in wanted:
        if not given(group, context):
            one, *others = (known[name] for name in group)
            text = one.human_readable_name if isinstance(one, click.Argument) else one.opts[0]
            instead = f" (or {', '.join(repr(other.opts[-1]) for other in others)})" if others else ""
            missing.append((one.param_type_name, f"'{text}'{instead}"))
    if missing:
        path = " ".join(context.command_path.split()[1:])
        found = re.search(rf"^ *(pebble {path} .*)$", context.command.help or "", re.MULTILINE)
        example = f" Example: {found[1]}" if found else ""
        kinds = [
            f"{kind}{'s' if len(names) > 1 else ''} {', '.join(names)}"
            for kind in ("argument", "option")
            if (names := [name for its_kind, name in missing if its_kind == kind])
        ]
        raise click.UsageError(f"Missing {' and '.join(kinds)}.{example}", context)
