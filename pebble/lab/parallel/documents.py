"""Documents of different lengths on several devices: which to keep whole, and which to cut over how many devices."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from pebble.common.errors import InvalidInput
from pebble.common.plain import plain
from pebble.common.tables import Table, TableResult, words
from pebble.lab.parallel.comparing import parallel
from pebble.lab.parallel.parallel_table import ParallelRow

if TYPE_CHECKING:
    from pebble.program.parallel import SharedProblem

_STEPS = 200


@dataclass(frozen=True)
class PlacedDocument:
    """A document and the devices that it is on.

    Attributes
    ----------
    length : int
        Tokens.
    row : ParallelRow or None
        How its attention is computed; None where one device has all of it, and nothing moves.
    """

    length: int
    devices: tuple[int, ...]
    row: ParallelRow | None


@dataclass(frozen=True)
class DocumentReport(TableResult):
    """What :func:`parallel_documents` returns.

    Attributes
    ----------
    problem : SharedProblem
        Heads, mask, pass and devices; N is the tokens of all documents.
    documents : tuple of PlacedDocument
        In the order given.
    received : tuple of int
        Words, by device.
    pairs : tuple of int
        Pairs of all query heads, by device.
    ring_over_all : int
        Words that each device receives if every document is cut over all devices, and keys and values go round.
    """

    problem: SharedProblem
    documents: tuple[PlacedDocument, ...]
    received: tuple[int, ...]
    pairs: tuple[int, ...]
    ring_over_all: int

    @property
    def balance(self) -> float:
        """Pairs of the busiest device over the mean."""
        return max(self.pairs) * len(self.pairs) / sum(self.pairs)

    def content(self) -> dict[str, Any]:
        """Return plain data."""
        p = self.problem
        return {
            **p.to_dict(),
            **{"pass": p.pass_name, "mask": p.mask},
            "documents": self.records(),
            "received_max": max(self.received),
            "received": list(self.received),
            "total": sum(self.received),
            "pairs_max": max(self.pairs),
            "pairs_min": min(self.pairs),
            "balance": self.balance,
            "ring_over_all": self.ring_over_all,
        }

    def records(self) -> list[dict[str, Any]]:
        """Return a row a document."""
        unmoved = {"schedule": None, "shape": None, "layout": None, "received_max": 0}
        return [
            {
                "length": one.length,
                "devices": list(one.devices),
                **(
                    plain(one.row, "schedule=name shape=shape_or_none layout received_max")
                    if one.row
                    else unmoved
                ),
            }
            for one in self.documents
        ]

    def parts(self) -> list[str | Table]:
        """Return what is printed: like documents together."""
        kinds: Counter[tuple[str, ...]] = Counter()
        for one in self.documents:
            row = one.row
            how = (
                (row.name, row.shape, row.layout, words(row.received_max)) if row else ("whole", "", "", "0")
            )
            kinds[words(one.length), str(len(one.devices)), *how] += 1
        head = [
            "documents",
            "tokens",
            "devices each",
            "schedule",
            "shape",
            "layout",
            "words received, busiest",
        ]
        rows = [[str(count), *kind] for kind, count in kinds.items()]
        p = self.problem
        about = f"{len(self.documents):,} documents, {p.describe().rpartition(', ')[0]}"
        ends = (
            f"words received by the busiest device: {words(max(self.received))}, in total {words(sum(self.received))}; "
            f"work, max/mean: {self.balance:.2f}\n"
            f"with a ring over all devices for every document, each device receives {words(self.ring_over_all)} words"
        )
        return [about, Table([head, *rows], right=(0, 1, 2, 6)), ends]


def parallel_documents(problem: SharedProblem, lengths: Sequence[int]) -> DocumentReport:
    """Share documents that do not attend to each other out over devices.

    A document on one device moves nothing. Those with more pairs than a device's share are cut over as few devices as
    bring them below it; the others are placed whole, the longest first, each on the device with the least work. The
    share is the least one, in steps of a hundredth of the mean, with which this succeeds.

    Parameters
    ----------
    problem : SharedProblem
        Heads, head dimension, mask, pass and number of devices; its N is not looked at.
    lengths : sequence of int
        Tokens of each document.

    Examples
    --------
    >>> from pebble.program.parallel import SharedProblem
    >>> report = parallel_documents(SharedProblem(64, 4, 4, causal=True), [1024, 256, 256, 64])
    >>> [len(document.devices) for document in report.documents], round(report.balance, 2)
    ([4, 1, 1, 1], 1.11)
    """
    if not lengths:
        raise InvalidInput("give at least one document")
    if sum(lengths) < problem.P:
        raise InvalidInput(f"{sum(lengths):,} tokens are too few for {problem.P:,} devices")
    work = [replace(problem, N=length, P=1, layout="contiguous").pairs for length in lengths]
    mean = sum(work) / problem.P
    for step in range(_STEPS + 1):
        placed = _placed(work, lengths, problem.P, mean * (1 + step / 100))
        if placed is not None:
            break
    else:
        placed = _placed(work, lengths, problem.P, max(work))
    assert placed is not None
    return _report(replace(problem, N=sum(lengths), layout="contiguous"), lengths, placed)


def _placed(
    work: Sequence[int], lengths: Sequence[int], P: int, share: float
) -> list[tuple[int, ...]] | None:
    """Return the devices of each document, so that none has more than a share; None if that does not succeed."""
    found: list[tuple[int, ...]] = [()] * len(work)
    loads: list[tuple[float, int]] = []
    used = 0
    for document in sorted(range(len(work)), key=lambda number: -work[number]):
        if work[document] <= share:
            continue
        count = min(-int(-work[document] // share), lengths[document])
        if used + count > P:
            return None
        found[document] = tuple(range(used, used + count))
        loads += [(work[document] / count, device) for device in found[document]]
        used += count
    loads += [(0.0, device) for device in range(used, P)]
    heapq.heapify(loads)
    for document in sorted(range(len(work)), key=lambda number: -work[number]):
        if not found[document]:
            load, device = heapq.heappop(loads)
            if load + work[document] > share * (1 + 1e-12):
                return None
            found[document] = (device,)
            heapq.heappush(loads, (load + work[document], device))
    return found


def _report(problem: SharedProblem, lengths: Sequence[int], placed: list[tuple[int, ...]]) -> DocumentReport:
    """Count what each document that is cut moves, on its own devices."""
    received, pairs = [0] * problem.P, [0] * problem.P
    documents = []
    for length, devices in zip(lengths, placed, strict=True):
        alone = replace(problem, N=length, P=len(devices))
        row = parallel(alone, best=True).best if len(devices) > 1 else None
        each = row.traffic.pairs if row and row.traffic else (alone.pairs * problem.heads,)
        for place, device in enumerate(devices):
            received[device] += row.received[place] if row else 0
            pairs[device] += each[place]
        documents.append(PlacedDocument(length, devices, row))
    back = 1 if problem.pass_name == "forward" else 2
    ring = problem.N * (problem.P - 1) * problem.keys.words * problem.kv_heads * back // problem.P
    return DocumentReport(problem, tuple(documents), tuple(received), tuple(pairs), ring)
