"""How to cite a bound, or the program: a BibTeX entry and a sentence."""

from __future__ import annotations

import importlib.metadata
from dataclasses import dataclass
from typing import Any

from pebble.common.errors import InvalidInput
from pebble.common.tables import JsonResult, Table, TableResult
from pebble.lower_bounds.bound import AUTHORS, HONG_KUNG, Reference, Statement
from pebble.lower_bounds.catalogue import STATEMENTS, statement

PROGRAM = "pebble"
YEAR = 2026
"""Of this version, in the entries of the program and its own bounds."""


@dataclass(frozen=True)
class Citation(JsonResult):
    """What :func:`cite` returns; prints the sentence and the BibTeX entries.

    Attributes
    ----------
    name : str
        Of the bound, or ``"pebble"``.
    sentence : str
        To be put into a text, with everything that has to be said of the bound.
    references : tuple of Reference
        What the sentence refers to, the bound's own entry first.
    facts : dict
        The fields of the bound's record.
    """

    name: str
    sentence: str
    references: tuple[Reference, ...]
    facts: dict[str, Any]

    @property
    def bibtex(self) -> str:
        """The BibTeX entries, an empty line between them."""
        return "\n\n".join(one.bibtex for one in self.references)

    def content(self) -> dict[str, Any]:
        """Return the plain data, all but the schema version."""
        return {"name": self.name, **self.facts, "sentence": self.sentence, "bibtex": self.bibtex}

    def __str__(self) -> str:
        return f"{self.sentence}\n\n{self.bibtex}"


@dataclass(frozen=True)
class Citations(TableResult):
    """All that can be cited: what :func:`cite` returns without a name."""

    statements: tuple[Statement, ...] = STATEMENTS

    def content(self) -> dict[str, Any]:
        """Return the plain data, all but the schema version."""
        return {"bounds": [_record(one) for one in self.statements]}

    def parts(self) -> list[str | Table | TableResult]:
        """Return what is printed: a line for each bound."""
        columns = {"name": "name", "status": "status", "by": "authors", "source": "source"}
        notes = ["", f"The program itself: pebble cite {PROGRAM}"]
        return [Table.of(self.statements, columns, notes=notes)]


def cite(name: str | None = None) -> Citation | Citations:
    """Say how to cite bounds, or the program.

    Parameters
    ----------
    name : str, optional
        The permanent name of a bound, as tables print it, or ``"pebble"``, or several such names; case and punctuation
        do not matter. Without it, all that can be cited.

    Returns
    -------
    Citation or Citations
        With ``bibtex`` and ``sentence``; of several names, each entry once.

    Examples
    --------
    >>> print(cite("Saha-Ye").references[0].short)
    Saha & Ye 2024
    >>> cite("T1").facts["source"]
    'docs/proofs/forward.md, T1'
    >>> [one.key for one in cite("T1 D backward").references]
    ['pebble-t1', 'hong-kung-1981', 'loomis-whitney-1949', 'pebble-d-backward']
    """
    if name is None:
        return Citations()
    found = _each(name)
    if len(found) == 1:
        return found[0]
    references = {reference.key: reference for one in found for reference in one.references}
    return Citation(
        "; ".join(one.name for one in found),
        "\n\n".join(one.sentence for one in found),
        tuple(references.values()),
        {"citations": [one.content() for one in found]},
    )


def _each(text: str) -> list[Citation]:
    """Return a citation for each name in a text; a name is as many words as can be."""
    words = text.replace(",", " ").split()
    for end in range(len(words), 0, -1):
        try:
            first = _one(" ".join(words[:end]))
        except InvalidInput:
            continue
        return [first, *(_each(" ".join(words[end:])) if words[end:] else [])]
    return [_one(text)]


def _one(name: str) -> Citation:
    return _program() if name.strip().lower() in (PROGRAM, "pebble-io") else _bound(statement(name))


def _record(one: Statement) -> dict[str, Any]:
    """Return all facts of a statement as plain data."""
    return {
        "name": one.name,
        **one.facts(),
        "status": one.status,
        "rules": one.rules,
        "source": one.source,
        "after": [reference.short for reference in one.after],
    }


def _bound(one: Statement) -> Citation:
    facts = _record(one)
    del facts["name"]
    entry = one.by or _own_entry(one)
    uses = f"; the proof uses {', '.join(reference.short for reference in one.after)}" if one.after else ""
    sentence = (
        f"{one.name} ({one.authors}; {one.status}; version {one.version} of the statement): {one.says}. "
        f"For: {one.hypotheses}. Rules of the game: {one.rules}. "
        f"Source: {one.source}, as in pebble {_version()}{uses}."
    )
    program = () if one.by is None else (_program_entry(),)
    return Citation(one.name, sentence, (entry, *one.after, *program), facts)


def _own_entry(one: Statement) -> Reference:
    """Return the entry of a bound that is stated and proved in this project."""
    key = "".join(letter if letter.isalnum() else "-" for letter in one.name.lower()).replace("--", "-")
    details = {
        "howpublished": f"In: pebble {_version()}, {one.source}",
        "note": f"version {one.version} of the statement, {one.status}; rules: {one.rules}",
    }
    title = f"The lower bound “{one.name}” on I/O in the red-blue pebble game"
    return Reference(f"pebble-{key}", "misc", (f"{{{AUTHORS}}}",), title, YEAR, details)


def _program() -> Citation:
    version = _version()
    sentence = (
        f"Counts and bounds were computed with pebble {version}, a laboratory for the red-blue pebble game "
        f"({HONG_KUNG.short}): every count is confirmed by a run of the schedule that enforces M."
    )
    facts = {"authors": AUTHORS, "version": version}
    return Citation(PROGRAM, sentence, (_program_entry(), HONG_KUNG), facts)


def _program_entry() -> Reference:
    title = "pebble: the red-blue pebble game laboratory for attention"
    details = {
        "howpublished": "Python package pebble-io",
        "note": f"version {_version()}: exact I/O counts, verified schedules, proved lower bounds",
    }
    return Reference("pebble", "misc", (f"{{{AUTHORS}}}",), title, YEAR, details)


def _version() -> str:
    try:
        return importlib.metadata.version("pebble-io")
    except importlib.metadata.PackageNotFoundError:
        return "(version unknown: the package is not installed)"
