"""Options of commands about several devices: the problem, how many, the layout, the shape, the links."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, NamedTuple

import click

from pebble.cli.completion import devices, models
from pebble.cli.options import ProblemOptions
from pebble.cli.signature import Amount, Options, given, needed, option, require
from pebble.common.errors import InvalidInput
from pebble.common.whole_numbers import whole_number

if TYPE_CHECKING:
    from pebble.lab.parallel import Links
    from pebble.program.parallel import Shape, SharedProblem

_LAYOUTS = click.Choice(["contiguous", "zigzag", "striped"])
_SERVED = ("nq", "d", "heads", "kv_heads", "mask", "pass_name", "P", "layout", "shape", "output")


class SharedProblemOptions(Options):
    """All of a problem on several devices but its length and the number of devices."""

    d: int | None = option("Head dimension.", "-d", **needed("model"))
    heads: int | None = ProblemOptions.heads
    kv_heads: int | None = ProblemOptions.kv_heads
    model: str | None = option(
        "Take d and the heads from a model (see: pebble models).", shell_complete=models
    )
    dv: int | None = option("Head dimension of V, if not d.", advanced=True)
    nq: int | None = option("Number of queries, if not one per token.", metavar="N", advanced=True)
    groups: str | None = option(
        "How many query heads share each head of keys, if not equally many: 6,3,2,1. Instead of --heads, --kv-heads.",
        type=Amount(),
        advanced=True,
    )
    layout: str | None = option("Which device owns which tokens (default contiguous).", type=_LAYOUTS)
    mask: str | None = option(
        "Mask: causal, window:256, … (see: pebble masks). Without it, every query sees every key."
    )
    pass_name: str = option(
        "Pass (default forward).", "--pass", type=click.Choice(["forward", "backward"]), default="forward"
    )

    def problem(self, N: int, P: int) -> SharedProblem:
        """Make the problem."""
        from pebble.program.parallel import SharedProblem

        heads, kv_heads, d, dv = self.heads, self.kv_heads, self.d, self.dv
        groups = None
        if self.groups is not None:
            groups = tuple(_group(part.strip()) for part in self.groups.split(","))
            heads, kv_heads = heads or sum(groups), kv_heads or len(groups)
        if self.model is not None:
            from pebble.lab.hardware import model

            shape = model(self.model).changed(d=d, dv=dv, heads=heads, kv_heads=kv_heads)
            if shape.shared_values:
                raise InvalidInput(
                    f"{shape.key} has values that are part of its keys, which is not supported on "
                    "several devices"
                )
            heads, kv_heads, d, dv = shape.heads, shape.kv_heads, shape.d, shape.dv
        assert d is not None
        return SharedProblem(
            *(N, d, P, heads or 1, kv_heads or heads or 1),
            pass_name=self.pass_name,
            layout=self.layout or "contiguous",
            dv=dv,
            mask=self.mask,
            Nq=self.nq,
            groups=groups,
        )


def _group(text: str) -> int:
    number = whole_number(text)
    if not number or number < 0:
        raise InvalidInput(f"cannot read {text!r} in --groups as a number of query heads; example: 6,3,2,1")
    return number


class LinkOptions(Options):
    """What times are made of."""

    device: str | None = option("Device that does the work (see: pebble devices).", shell_complete=devices)
    flops: str | None = option(
        "Arithmetic rate of a device, if not the peak of --device: 400TFLOP/s.", advanced=True
    )
    link: str | None = option(
        "Rate at which a device receives and, at the same time, sends (default: that of --device); with --node, "
        "between nodes. In bytes (50GB/s, 50GiB/s) or bits (400Gb/s, 400Gbit/s); bytes without a unit."
    )
    node: int | None = option("Devices per node.", advanced=True)
    node_link: str | None = option("Link rate within a node: 450GB/s.", advanced=True)
    latency: str | None = option(
        "With --link: time that each message takes beside its words: 10us.", advanced=True
    )
    chunks: int = option(
        "With --link: cut the heads of a device into at most this many chunks, so that the words of one travel while "
        "the device works on another; the fastest number is taken.",
        advanced=True,
        default=1,
    )
    dtype: str | None = option("Type of a word, for bytes and times (default with --link: bf16).")

    def links(self, P: int) -> Links | None:
        """Read them, for up to P devices; None if nothing is given."""
        from pebble.common.units import parse_rate, parse_seconds
        from pebble.lab.parallel import Links

        if (self.node is None) != (self.node_link is None):
            raise click.UsageError("--node and --node-link need each other: give both or neither.")
        asked = (self.link, self.device, self.flops, self.node, self.latency)
        if all(one is None for one in asked) and self.chunks == 1:
            return None
        from pebble.lab.hardware import device

        return Links(
            self._own_link(P) if self.link is None else parse_rate(self.link, "B"),
            self._flops(),
            self.dtype or "bf16",
            self.node or 1,
            None if self.node_link is None else parse_rate(self.node_link, "B"),
            None if self.device is None else device(self.device).bandwidth,
            0.0 if self.latency is None else parse_seconds(self.latency),
            self.chunks,
        )

    def _own_link(self, P: int) -> float:
        """Return the published rate of the device's links, if they join P devices."""
        from pebble.lab.hardware import device

        one = None if self.device is None or self.node is not None else device(self.device)
        if one is None:
            raise click.UsageError("Times need the speed of the links: give --link, such as 50GB/s.")
        if one.link is None or one.linked is None:
            raise click.UsageError(f"{one.key} has no sourced link rate: give --link, such as 50GB/s.")
        if one.linked < P:
            raise click.UsageError(
                f"The links of {one.key} join {one.linked} devices: give the rate between nodes too, such as "
                f"--link 50GB/s --node {one.linked} --node-link {one.link / 1e9:g}GB/s."
            )
        click.echo(
            f"note: links of {one.link / 1e9:g} GB/s each way, as {one.key} has them; --link gives others",
            err=True,
        )
        return float(one.link)

    def _flops(self) -> float:
        from pebble.common.units import parse_rate

        if self.flops is not None:
            return parse_rate(self.flops, "FLOP")
        if self.device is None:
            raise click.UsageError(
                "--link computes times, which also need --device (such as h100) or --flops (such as "
                "400TFLOP/s)."
            )
        from pebble.lab.hardware import device

        peak = device(self.device).flops(self.dtype or "bf16")
        if peak is None:
            raise InvalidInput(
                f"{self.device}: no sourced peak for {self.dtype or 'bf16'}; give --flops, such as 400TFLOP/s"
            )
        return float(peak)


class SeveralDevices(NamedTuple):
    """What ``-P`` and the options beside it say."""

    problem: SharedProblem
    shape: Shape | None


class SeveralDevicesOptions(Options):
    """Options with which a command takes a schedule for several devices."""

    P: int | None = option("Number of devices, for a schedule from pebble parallel.", "-P")
    layout: str | None = option(
        "With -P: which device owns which tokens (default contiguous).", type=_LAYOUTS
    )
    shape: str | None = option("With -P: the shape of the schedule, as for pebble parallel: 2x3.")

    def read(self, asked: ProblemOptions) -> SeveralDevices | None:
        """Return what they say, with a problem's options; None if one device is meant."""
        if self.P is None:
            if self.layout is not None or self.shape is not None:
                raise click.UsageError("--layout and --shape need -P.")
            return None
        from pebble.program.parallel import SharedProblem, shape_of

        context = click.get_current_context()
        arguments = {one.name for one in context.command.params if isinstance(one, click.Argument)}
        if given(name for name in context.params if name not in (*_SERVED, *arguments)):
            raise click.UsageError(
                "With -P, only -N, -d, --heads, --kv-heads, --pass, --mask, --layout, --shape "
                "and -o are allowed."
            )
        require([["nq"], ["d"]])
        assert asked.d is not None
        heads, layout = asked.heads or 1, self.layout or "contiguous"
        sizes = (asked.nq, asked.d, self.P, heads, asked.kv_heads or heads)
        problem = SharedProblem(*sizes, pass_name=asked.pass_name, layout=layout, mask=asked.mask)
        return SeveralDevices(problem, None if self.shape is None else shape_of(self.shape))


def refuse_without_devices(name: str | None, remedy: str = "add their number with -P") -> None:
    """Raise UsageError if a schedule for several devices is named where one for one device is needed."""
    from pebble.program.parallel import distributed_schedule
    from pebble.program.schedule import registered

    if name is None or any(one.name == name for one in registered()):
        return
    with contextlib.suppress(InvalidInput):
        distributed_schedule(name)
        raise click.UsageError(f"{name} is a schedule for several devices: {remedy}.")
