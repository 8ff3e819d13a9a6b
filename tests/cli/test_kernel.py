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


def test_outputs_and_several_extents(pebble: Pebble) -> None:
    done = pebble("kernel", "B[i] = A[i]; C[i] = B[i]", "-N", "i=4", "-M", "4", "--outputs", "B", "--json")
    assert document_of(done)["schedule"]["writes"] == 8
    assert pebble("kernel", "i,j->ij", "-N", "i=2", "-N", "j=1Ki", "-M", "9").code == 0


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


def test_a_kernel_of_the_list_with_other_extents(pebble: Pebble) -> None:
    document = document_of(pebble("kernel", "atax", "-N", "i=6", "-N", "j=5", "-M", "20", "--json"))
    assert document["statements"] == ["z[i] += A[i,j]*x[j]", "y[j] += A[i,j]*z[i]"]
    assert document["extents"] == {"i": 6, "j": 5}
    pebble("kernel", "gem", "-M", "20").refused(2, "did you mean 'gemm'")


def test_a_time_limit_holds_for_all_of_it(pebble: Pebble) -> None:
    """The compulsory bound is there at once, and so is the order in which the vertices are given."""
    done = pebble("kernel", "cholesky", "-N", "i=20,j=20,k=20", "-M", "64", "--time", "0", "--json")
    document = document_of(done)
    assert [one["name"] for one in document["bounds"]] == ["nest compulsory"]
    assert document["schedule"]["program"].startswith("the vertices of the DAG in an order")
