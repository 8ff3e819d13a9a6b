"""Lowered and raised indices in the pages, see :mod:`formulas`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import formulas
from docutils import nodes

if TYPE_CHECKING:
    from sphinx.application import Sphinx

__all__ = ["connect", "set_indices"]


def connect(app: Sphinx) -> None:
    """Set the indices of every page that is read."""
    app.connect("doctree-read", lambda _, document: set_indices(document))


def set_indices(document: nodes.Element) -> None:
    """Set the indices in the prose of a page, and in blocks that are formulas, not code."""
    for text in list(document.findall(nodes.Text)):
        parent = text.parent
        if isinstance(parent, nodes.literal_block):
            if parent.get("language", "none") != "none" or parent.rawsource != parent.astext():
                continue
        elif _inside_literal(text):
            continue
        cut = list(formulas.pieces(text.astext()))
        if len(cut) > 1:
            parent.replace(text, [_node(mark, piece) for mark, piece in cut if piece])


def _inside_literal(node: nodes.Node) -> bool:
    kinds = (nodes.literal, nodes.literal_block, nodes.raw, nodes.doctest_block, nodes.comment)
    step = node.parent
    while step is not None:
        if isinstance(step, kinds):
            return True
        step = step.parent
    return False


def _node(mark: str, piece: str) -> nodes.Node:
    if mark == "_":
        return nodes.subscript("", piece)
    return nodes.superscript("", piece) if mark == "^" else nodes.Text(piece)
