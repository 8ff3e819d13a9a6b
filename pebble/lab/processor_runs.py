"""Runs of several devices as the DAG they induce, and what that DAG computes on numbers."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from pebble.common.errors import IllegalMove, InvalidInput
from pebble.computations.family import Family
from pebble.computations.registry import family_from_header
from pebble.game.files.processor_files import processor_moves
from pebble.game.files.reader import PebblingReader
from pebble.game.processors.game import ProcessorGame
from pebble.game.processors.words import array_of, indices_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["induced_outputs", "played_file"]


def played_file(source: str | os.PathLike[str] | IO[Any]) -> tuple[ProcessorGame, Family]:
    """Play a pebbling file of several devices to its end, and return the game and the computation.

    Raises
    ------
    IllegalMove, InvalidInput
        If the file is no legal and complete run of several devices on a computation that has a name.
    """
    if isinstance(source, str | os.PathLike):
        with open(source, "rb") as stream:
            return played_file(stream)
    reader = PebblingReader(source)
    header = reader.header
    if header.processors is None:
        raise InvalidInput("this is a pebbling of one device: it has no line '# devices'")
    family = family_from_header(header.dag_name, header.parameters)
    game = ProcessorGame(family.dag(), header.processors)
    for _, move in processor_moves(reader, game):
        game.play(move)
    game.finish()
    if not game.complete:
        raise IllegalMove("the run is not complete", game.tally.moves, "incomplete")
    return game, family


def induced_outputs(
    game: ProcessorGame, family: Family, inputs: Mapping[str, NDArray[np.float64]]
) -> dict[str, NDArray[np.float64]]:
    """Compute the DAG that a run has induced, addition by addition, on numbers.

    Parameters
    ----------
    game : ProcessorGame
        A complete run.
    family : Family
        What it computes; its free sums add products of their operands.
    inputs : mapping of str to ndarray
        One array for each input of the family.

    Returns
    -------
    dict of str to ndarray
        The outputs as they are with their owners; what does not exist under a mask is 0.
    """
    made, values = game.derivations, list[float]()
    for word, row in zip(made.words, made.rows, strict=True):
        name = family.names[word.vertex]
        array = family[array_of(name)]
        if array.is_input:
            values.append(float(inputs[array.name][indices_of(name)]))
            continue
        operands: dict[str, float] = {}
        before: list[float] = []
        for one in row:
            read = array_of(family.names[made.words[one].vertex])
            if read == array.name:
                before.append(values[one])
            else:
                operands[read] = values[one]
        values.append(_value(array, before, [operands[reads.array] for reads in array.reads if operands]))
    found = {array.name: np.zeros([family.extents[axis] for axis in array.axes]) for array in family.outputs}
    for v in game.dag.outputs.tolist():
        name = family.names[v]
        array = family[array_of(name)]
        index = indices_of(name)[: len(array.axes)]
        found[array.name][index] = values[game.memory[game.owner[v]][game.names.full(v)]]
    return found


def _value(array: Any, before: list[float], operands: list[float]) -> float:
    """Return what a vertex computes: from its operands, after the partial sums before it."""
    if array.chain is None:
        return float(array.function(*operands))
    if array.step is not None or array.initial:
        raise InvalidInput(f"{array.name} is no sum of products")
    if not operands:
        return sum(before)
    term = array.function(*operands) if array.function is not None else np.prod(operands)
    return sum(before) + float(term)
