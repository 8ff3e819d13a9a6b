"""The papers whose bounds are shown here, or whose methods the proofs use, as BibTeX entries."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from pebble.common.latex import latex_text

__all__ = [
    "CHRIST",
    "DAO",
    "ELANGO",
    "HONG_KUNG",
    "JAIN_ZAHARIA",
    "LEAN",
    "LI",
    "LOOMIS_WHITNEY",
    "OLIVRY",
    "SAHA_YE",
    "SMITH",
    "Reference",
    "bibtex_entry",
]


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
SMITH = Reference(
    "smith-et-al-2019",
    "misc",
    ("Tyler Michael Smith", "Bradley Lowery", "Julien Langou", "Robert A. van de Geijn"),
    "A tight I/O lower bound for matrix multiplication",
    2019,
    _arxiv("1702.02017"),
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
LEAN = Reference(
    "lean-misc-math",
    "misc",
    ("{geoconuk}",),
    "A formalisation in Lean of pebble-game bounds for matrix products and the FFT",
    None,
    {"url": "https://github.com/geoconuk/lean-misc-math"},
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
