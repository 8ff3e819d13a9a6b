"""``pebble kernel``."""

from pathlib import Path

import pytest

from tests.support.commands import Pebble, document_of

PRODUCT = ["kernel", "C[i,j] += A[i,k]*B[k,j]", "-N", "i=3,j=3,k=3"]


def test_text_and_json_say_the_same(pebble: Pebble) -> None:
    text, document = pebble(*PRODUCT, "-M", "24"), document_of(pebble(*PRODUCT, "-M", "24", "--json"))
    assert text.code == 0
    assert document["statements"] == ["C[i,j] += A[i,k]*B[k,j]"]
    assert f"I/O = {document['schedule']['io']} words" in text.out
    assert {"name", "value", "status", "source"} <= set(document["bounds"][0])
    assert {"io", "reads", "writes", "peak", "program"} <= set(document["schedule"])
    assert isinstance(document["schedule"]["program"], str)
    best = max(bound["value"] for bound in document["bounds"] if bound["proved"])
    assert document["ratio"] == document["schedule"]["io"] / best


@pytest.mark.slow
def test_bounds_for_other_rules_stand_apart(pebble: Pebble) -> None:
    chained = "C[i,j] += A[i,k]*B[k,j]; E[i,l] += C[i,j]*D[j,l]"
    document = document_of(pebble("kernel", chained, "-N", "i=40,j=40,k=40,l=40", "-M", "32", "--json"))
    ordinary, others = document["bounds"], document["bounds_without_recomputation"]
    assert all("recomputation allowed" in bound["rules"] for bound in ordinary)
    assert others
    assert all("recomputation forbidden" in bound["rules"] for bound in others)
    assert document["ratio"] == document["schedule"]["io"] / max(bound["value"] for bound in ordinary)


def test_the_pebbling_is_written_and_checked(pebble: Pebble, tmp_path: Path) -> None:
    path = str(tmp_path / "product.pebbling")
    document = document_of(pebble(*PRODUCT, "-M", "24", "--json", "-o", path))
    assert document_of(pebble("check", path, "--json"))["io"] == document["schedule"]["io"]


def test_too_little_memory_is_printed_with_status_1(pebble: Pebble) -> None:
    done = pebble(*PRODUCT, "-M", "3", "--json")
    assert done.code == 1
    assert '"schedule": null' in done.out


def test_the_list(pebble: Pebble) -> None:
    kernels = document_of(pebble("kernel", "--list", "--json"))["kernels"]
    assert len(kernels) == 30
    assert {"name", "description", "statements", "extents", "outputs"} <= set(kernels[0])
    text = pebble("kernel", "--list").out
    assert all(one["name"] in text for one in kernels)
