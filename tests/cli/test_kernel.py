"""``pebble kernel``."""

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
    little = pebble(*PRODUCT, "-M", "3", "--json")
    assert (little.code, '"schedule": null' in little.out) == (1, True)


def test_the_list(pebble: Pebble) -> None:
    kernels = document_of(pebble("kernel", "--list", "--json"))["kernels"]
    assert len(kernels) == 30
    assert {"name", "description", "statements", "extents", "outputs"} <= set(kernels[0])
    text = pebble("kernel", "--list").out
    assert all(one["name"] in text for one in kernels)
