"""Devices and models as data: figures with sources, names that are found, options that set M and the sizes."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

import pebble
from pebble.common.errors import InvalidInput
from pebble.common.units import BYTES_PER_WORD, bytes_per_word
from pebble.lab.hardware import Device, device, devices, model, models
from pebble.lab.hardware.device import canonical_dtype, read_table

FIGURES = ("units", "smem_per_unit", "smem_per_block", "registers_per_unit", "accumulators_per_unit", "l2")


def test_the_devices_and_models_asked_for_are_there() -> None:
    named = "gtx1060 v100 a100 h100 h200 b200 rtx4090 mi300x tpu-v4 tpu-v5e tpu-v5p trainium2"
    assert set(named.split()) <= set(devices())
    assert any(name.startswith("apple") for name in devices())
    assert device("zen4").level == "l2"
    for family in ("gpt2", "llama2", "llama3", "qwen", "mistral", "deepseek-v3", "gemma"):
        assert any(name.startswith(family) for name in models()), family


@pytest.mark.parametrize("one", devices().values(), ids=list(devices()))
def test_every_figure_has_a_source_and_nothing_else_has(one: Device) -> None:
    for figure in (*FIGURES, "bandwidth", "register_bandwidth", "l2_bandwidth", "link", "linked", "peak"):
        known = getattr(one, figure) not in (None, {})
        assert (figure in one.sources) == known, figure
        if known:
            assert len(one.sources[figure]) > 10
    assert one.peak.keys() <= {canonical_dtype(name) for name in BYTES_PER_WORD}


@pytest.mark.parametrize("one", devices().values(), ids=list(devices()))
def test_figures_are_plausible(one: Device) -> None:
    assert one.levels()
    if one.smem_per_block is not None and one.smem_per_unit is not None:
        assert one.smem_per_block <= one.smem_per_unit
    if one.bandwidth is not None:
        assert 10**11 <= one.bandwidth <= 10**13
    rates = [one.bandwidth, one.l2_bandwidth, one.register_bandwidth]
    assert [rate for rate in rates if rate] == sorted(rate for rate in rates if rate)
    for flops in one.peak.values():
        assert 10**12 <= flops <= 10**16
    wide = [one.peak[name] for name in ("bfloat16", "tf32", "float32") if name in one.peak]
    assert wide == sorted(wide, reverse=True)
    for level in one.levels():
        assert 2**15 <= one.fast_bytes(level) <= 2**28


def test_every_source_in_the_table_is_used() -> None:
    for items in ("devices", "models"):
        table = read_table(f"{items}.toml")
        text = json.dumps(table[items])
        assert all(f'"{key}"' in text for key in (*table["sources"], *table.get("notes", ())))


@pytest.mark.parametrize(
    ("name", "level", "dtype", "words"),
    [
        ("gtx1060", "smem", "float32", 48 * 1024 // 4),
        ("gtx1060", None, "float16", 48 * 1024 // 2),
        ("a100", "smem", "bf16", 163 * 1024 // 2),
        ("h100", "smem", "bfloat16", 227 * 1024 // 2),
        ("h100", "smem+regs", "float16", (227 + 256) * 1024 // 2),
        ("h100", "l2", "fp8", 50 * 2**20),
        ("b200", "smem+regs", "fp32", (227 + 256 + 256) * 1024 // 4),
        ("zen4", None, "float32", 2**20 // 4),
    ],
)
def test_words(name: str, level: str | None, dtype: str, words: int) -> None:
    assert device(name).words(dtype, level) == words


def test_names_are_found_loosely_and_the_nearest_is_named() -> None:
    assert device("RTX 4090") is device("rtx4090")
    assert device("TPU_v5e").key == "tpu-v5e"
    assert model("Llama 3.1 405B").key == "llama3.1-405b"
    with pytest.raises(InvalidInput, match="did you mean h100"):
        device("h101")
    with pytest.raises(InvalidInput, match=r"did you mean llama3-8b.*pebble models"):
        model("lama3-8b")
    assert pebble.device("h100") is device("h100")
    assert pebble.models() is models()


def test_decoding_as_the_report_on_step_3_counts_it() -> None:
    """At 32 Ki tokens in fp8 its table has caches of 1.02e9 and 1.15e9 bytes, and 128 operations a byte for Step-3."""
    one, latent = model("step-3"), model("deepseek-v3-absorbed")
    assert one.kv_words * 2**15 * one.layers == pytest.approx(1.02e9, rel=0.01)
    assert latent.kv_words * 2**15 * latent.layers == pytest.approx(1.15e9, rel=0.01)
    assert 2 * one.heads * (one.d + one.dv) / one.kv_words == 128
    assert model("deepseek-v3-shared-rope").kv_words == 128 * (128 + 128) + 64
    # Reading 512 bytes a key takes longer than 2¹⁶ operations on an H100; twice as many keys need half the link.
    half, whole = (one.decoding(N, device("h100"), "fp8") for N in (2**12, 2**13))
    assert whole["decode_seconds"] == 2**22 / 3.35e12
    assert half["hiding_bytes_per_second"] == 2 * whole["hiding_bytes_per_second"] == 7168 / 2**21 * 3.35e12
    # In float32 arithmetic takes longer than reading 4 bytes a word.
    assert one.decoding(2**13, device("h100"), "float32")["decode_seconds"] == pytest.approx(2**29 / 66.9e12)
    with pytest.raises(InvalidInput, match="no bandwidth"):
        one.decoding(2**13, replace(device("h100"), bandwidth=None), "fp8")


def test_models_are_whole_groups() -> None:
    for one in models().values():
        assert one.heads == one.group * one.kv_heads
        assert one.source
    assert (model("deepseek-v3").d, model("deepseek-v3").dv) == (192, 128)
    assert model("gemma-2b").d == 256
    assert model("llama2-7b").group == 1


def test_canonical_dtypes_keep_their_size() -> None:
    for name, size in BYTES_PER_WORD.items():
        assert bytes_per_word(canonical_dtype(name)) == size
        assert canonical_dtype(canonical_dtype(name)) == canonical_dtype(name)
    assert device("h100").flops("fp16") == device("h100").flops("half") == 989_400_000_000_000
    assert device("gtx1060").flops("fp16") is None
