"""What a lower bound is: a value with its status and rules, what it states, and whose it is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeVar

from pebble.common.clock import tell
from pebble.common.errors import BoundDoesNotApply
from pebble.common.latex import latex_text
from pebble.common.plain import plain
from pebble.common.whole_numbers import singular
from pebble.game.rules import Rules

if TYPE_CHECKING:
    from pebble.computations.problem import Problem

_Asked = TypeVar("_Asked")

ANY_RULES = "recomputation allowed, sliding allowed"
"""The bound holds in every variant of the game."""

ONCE_ONLY = "recomputation forbidden, sliding allowed"
"""The bound needs that no vertex is computed twice."""

Status = Literal["machine-checked", "proved", "computer-assisted", "asymptotic"]
"""Proved in docs/proofs/, and the number is one that ``--coq`` writes and Coq checks; proved by hand; proved by hand up
to constants that a program proves; or no constant at all."""


@dataclass(frozen=True)
class Bound:
    """A lower bound on the I/O (loads plus stores) of one problem with M words of fast memory.

    Parameters
    ----------
    name : str
        Short name: ``"compulsory"``, ``"T1"``, ...
    value : int or float
        Words. An integer, rounded so that floating point cannot lift it above the truth, where the bound
        carries a proved constant; a float for an asymptotic curve.
    status : {"machine-checked", "proved", "computer-assisted", "asymptotic"}
        Only the first three may be asserted. An asymptotic curve has no constant: compare its shape, not its value.
    source : str
        Where the statement and its proof are found.
    rules : str
        The rules of the game the bound holds under, in words: ``"recomputation allowed"``, ``"sliding allowed"``
        or both. What is not called allowed must be forbidden.
    note : str
        What the value was obtained with (the best number of segments, the certificate's row), for the curious.
    facts : mapping of str to str or int
        The ``statement``, its ``hypotheses``, ``authors`` and ``version``: see
        :class:`Statement`.
    """

    KEYS: ClassVar[str] = "name value proved status source rules note"

    name: str
    value: int | float
    status: Status
    source: str
    rules: str = ANY_RULES
    note: str = ""
    facts: Mapping[str, Any] = field(default_factory=dict, kw_only=True, repr=False, compare=False)

    @property
    def proved(self) -> bool:
        """Whether the value may be asserted against a count."""
        return self.status != "asymptotic"

    def holds_under(self, rules: Rules) -> bool:
        """Tell whether the bound holds in a game played by these rules.

        >>> Bound("T1", 7, "proved", "").holds_under(Rules(sliding=True))
        True
        >>> Bound("", 7, "proved", "", rules="recomputation forbidden").holds_under(Rules())
        False
        """
        played = (("recomputation", rules.recomputation), ("sliding", rules.sliding))
        return all(f"{variant} allowed" in self.rules for variant, allowed in played if allowed)

    @property
    def brief(self) -> dict[str, Any]:
        """What a table of something else says of the bound, as plain data."""
        return plain(self, "name value status")

    def to_dict(self) -> dict[str, Any]:
        """Return the bound as plain data."""
        return {**plain(self, self.KEYS), **self.facts}


def by_hand(bound: Bound) -> Bound:
    """Return a bound as one that is derived from it by an argument on paper: at most proved, not machine-checked.

    >>> by_hand(Bound("T1", 7, "machine-checked", "")).status, by_hand(Bound("B3", 7, "computer-assisted", "")).status
    ('proved', 'computer-assisted')
    """
    return replace(bound, status="proved") if bound.status == "machine-checked" else bound


def in_any_order(bound: Bound, sums: str, width: int = 1, *, checked: bool = False) -> Bound:
    """Return a bound on chains as one on sums in any order or of any width, by a proof on paper.

    ``checked`` tells that Coq has the theorem for sums in any order of one word each.
    """
    if sums == "chain" and width == 1:
        return bound
    bound = bound if checked and width == 1 else by_hand(bound)
    return replace(bound, source=f"{bound.source}; docs/proofs/any-order.md")


def applicable(bounds: Iterable[Callable[[_Asked, int], Bound]], problem: _Asked, M: int) -> list[Bound]:
    """Return what the bounds say of a problem with M words; those that do not apply are left out."""
    found: list[Bound] = []
    for bound in bounds:
        tell(f"bounds: {len(found)} found")
        try:
            found.append(bound(problem, M))
        except BoundDoesNotApply:
            continue
    return found


@dataclass(frozen=True)
class Reference:
    """A publication.

    Parameters
    ----------
    key : str
        The key of its BibTeX entry.
    kind : str
        The type of the entry: ``article``, ``inproceedings``, ``misc``.
    authors : tuple of str
        First name and surname each; in braces where it is not the name of a person.
    title : str
    year : int or None
    details : mapping of str to str
        The other fields: ``booktitle``, ``pages``, ``doi``, ``eprint``, ...
    """

    key: str
    kind: str
    authors: tuple[str, ...]
    title: str
    year: int | None
    details: Mapping[str, str] = field(default_factory=dict)

    @property
    def short(self) -> str:
        """Authors and year as in a text.

        >>> HONG_KUNG.short, DAO.short
        ('Hong & Kung 1981', 'Dao et al. 2022')
        """
        names = [
            author.strip("{}") if author.startswith("{") else author.split()[-1] for author in self.authors
        ]
        if len(names) > 2:
            names = [f"{names[0]} et al."]
        return " & ".join(names) + (f" {self.year}" if self.year else "")

    @property
    def bibtex(self) -> str:
        """Its BibTeX entry."""
        year = {"year": str(self.year)} if self.year else {}
        entries = {"author": " and ".join(self.authors), "title": f"{{{self.title}}}", **year, **self.details}
        return bibtex_entry(self.kind, self.key, entries)


def bibtex_entry(kind: str, key: str, entries: Mapping[str, str]) -> str:
    r"""Return a BibTeX entry, a field a line; braces in a field stay what they are.

    >>> print(bibtex_entry("misc", "a", {"author": "{The pebblers}", "title": "100 % of I/O"}))
    @misc{a,
      author = {{The pebblers}},
      title = {100 \% of I/O}
    }
    """
    verbatim = ("doi", "eprint", "url")
    lines = (
        f"  {name} = {{{text if name in verbatim else latex_text(text, keep='{}')}}}"
        for name, text in entries.items()
    )
    return f"@{kind}{{{key},\n" + ",\n".join(lines) + "\n}"


def _arxiv(number: str) -> dict[str, str]:
    return {"eprint": number, "archiveprefix": "arXiv"}


HONG_KUNG = Reference(
    "hong-kung-1981",
    "inproceedings",
    ("Jia-Wei Hong", "H. T. Kung"),
    "I/O complexity: the red-blue pebble game",
    1981,
    {
        "booktitle": "Proceedings of the 13th Annual ACM Symposium on Theory of Computing (STOC)",
        "pages": "326--333",
        "doi": "10.1145/800076.802486",
    },
)
LOOMIS_WHITNEY = Reference(
    "loomis-whitney-1949",
    "article",
    ("L. H. Loomis", "H. Whitney"),
    "An inequality related to the isoperimetric inequality",
    1949,
    {"journal": "Bulletin of the American Mathematical Society", "volume": "55"},
)
SAHA_YE = Reference(
    "saha-ye-2024",
    "inproceedings",
    ("Barna Saha", "Christopher Ye"),
    "I/O complexity of attention, or how optimal is FlashAttention?",
    2024,
    {"booktitle": "International Conference on Machine Learning (ICML)", **_arxiv("2402.07443")},
)
DAO = Reference(
    "dao-et-al-2022",
    "inproceedings",
    ("Tri Dao", "Daniel Y. Fu", "Stefano Ermon", "Atri Rudra", "Christopher Ré"),
    "FlashAttention: fast and memory-efficient exact attention with IO-awareness",
    2022,
    {"booktitle": "Advances in Neural Information Processing Systems (NeurIPS)", **_arxiv("2205.14135")},
)
LI = Reference(
    "li-et-al-2024",
    "misc",
    ("Xiaoyu Li", "Yingyu Liang", "Zhenmei Shi", "Zhao Song", "Yufa Zhou"),
    "Fine-grained attention I/O complexity: comprehensive analysis for backward passes",
    2024,
    _arxiv("2410.09397"),
)
ELANGO = Reference(
    "elango-et-al-2014",
    "inproceedings",
    ("Venmugil Elango", "Fabrice Rastello", "Louis-Noël Pouchet", "J. Ramanujam", "P. Sadayappan"),
    "On characterizing the data movement complexity of computational DAGs for parallel execution",
    2014,
    {
        "booktitle": "ACM Symposium on Parallelism in Algorithms and Architectures (SPAA)",
        **_arxiv("1404.4767"),
    },
)
JAIN_ZAHARIA = Reference(
    "jain-zaharia-2020",
    "inproceedings",
    ("Saachi Jain", "Matei Zaharia"),
    "Spectral lower bounds on the I/O complexity of computation graphs",
    2020,
    {
        "booktitle": "ACM Symposium on Parallelism in Algorithms and Architectures (SPAA)",
        **_arxiv("1909.09791"),
    },
)
CHRIST = Reference(
    "christ-et-al-2013",
    "misc",
    ("Michael Christ", "James Demmel", "Nicholas Knight", "Thomas Scanlon", "Katherine Yelick"),
    "Communication lower bounds and optimal algorithms for programs that reference arrays, part 1",
    2013,
    _arxiv("1308.0068"),
)
OLIVRY = Reference(
    "olivry-et-al-2020",
    "inproceedings",
    ("Auguste Olivry", "Julien Langou", "Louis-Noël Pouchet", "P. Sadayappan", "Fabrice Rastello"),
    "Automated derivation of parametric data movement lower bounds for affine programs",
    2020,
    {
        "booktitle": "ACM SIGPLAN Conference on Programming Language Design and Implementation (PLDI)",
        **_arxiv("1911.06664"),
    },
)
IRONY = Reference(
    "irony-et-al-2004",
    "article",
    ("Dror Irony", "Sivan Toledo", "Alexander Tiskin"),
    "Communication lower bounds for distributed-memory matrix multiplication",
    2004,
    {
        "journal": "Journal of Parallel and Distributed Computing",
        "volume": "64",
        "number": "9",
        "pages": "1017--1026",
    },
)


AUTHORS = "The authors of pebble"
"""The author of a bound that is stated and proved in this project."""


@dataclass(frozen=True)
class Statement:
    """A lower bound as it can be cited; its values for problems are made from it.

    Parameters
    ----------
    name : str
        The permanent name. It is never given to another statement.
    says : str
        The statement, as a formula or a sentence.
    hypotheses : str
        What it holds for.
    source : str
        Where the statement and its proof are found.
    status : {"machine-checked", "proved", "computer-assisted", "asymptotic"}
        As for :class:`Bound`.
    rules : str
        The rules of the game that it holds under, as for :class:`Bound`.
    by : Reference, optional
        Where it was published; without it, it is stated and proved in this project.
    after : tuple of Reference
        What the proof uses.
    version : int
        Raised when the statement changes, so that a value may differ from before.
    words : callable, optional
        Of a bound that another project registers: ``words(problem, M)`` returns the words of one copy of a problem, or
        raises :class:`BoundDoesNotApply`.
    """

    name: str
    says: str
    hypotheses: str
    source: str
    status: Status = "proved"
    rules: str = ANY_RULES
    by: Reference | None = None
    after: tuple[Reference, ...] = ()
    version: int = 1
    words: Callable[[Problem, int], int] | None = field(default=None, compare=False, repr=False)

    @property
    def authors(self) -> str:
        """Whose it is, with the year if it was published elsewhere."""
        return AUTHORS if self.by is None else self.by.short

    def bound(
        self, value: int | float, note: str = "", *, source: str | None = None, status: Status | None = None
    ) -> Bound:
        """Return what it says of one problem; another source or status where it is a special case.

        Parameters
        ----------
        value : int or float
            Words.
        note, source, status : str
            As for :class:`Bound`.
        """
        return Bound(
            self.name,
            value,
            status or self.status,
            source or self.source,
            self.rules,
            singular(note),
            facts=self.facts(),
        )

    def facts(self) -> dict[str, Any]:
        """Return what a bound of this name carries besides its value, as plain data."""
        return {
            "statement": self.says,
            "hypotheses": self.hypotheses,
            "authors": self.authors,
            "version": self.version,
        }
