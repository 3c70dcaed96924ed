"""A GGUF file that lies gives one sentence, without trying what it claims."""

from __future__ import annotations

import struct
import tracemalloc
from typing import TYPE_CHECKING

import pytest

from explorer.core.checks import InputError
from explorer.models import costing
from explorer.models.gguf import LONGEST_STRING, MOST_STRINGS, read_header
from tests.models.ggufs import ARRAY, BOOL, FLOAT32, LLAMA, STRING, UINT32, header, key, text, write

if TYPE_CHECKING:
    from pathlib import Path

ARCHITECTURE = key("general.architecture", STRING, text("llama"))
HUGE = 2**60


def number(value: int) -> bytes:
    return struct.pack("<I", value)


def array(kind: int, length: int, data: bytes = b"") -> bytes:
    return struct.pack("<IQ", kind, length) + data


def refusal(data: bytes, tmp_path: Path, *, size: int | None = None) -> str:
    path = tmp_path / "model.gguf"
    path.write_bytes(data)
    if size is not None:
        with path.open("r+b") as file:
            file.truncate(size)
    tracemalloc.start()
    try:
        with pytest.raises(InputError) as caught:
            costing.report(str(path))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 5_000_000
    sentence = str(caught.value)
    assert "\n" not in sentence
    assert sentence.startswith("model.gguf")
    return sentence


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "is not a GGUF file: it begins with '', not with GGUF"),
        (b"GGU", "begins with 'GGU'"),
        (b"hello, this is text", "begins with 'hell'"),
        (b"\x00\xff\x1b[", r"begins with '\x00\xff\x1b['"),
        (b"GGUF", "cut off: it ends inside the version"),
        (b"GGUF\x03\x00\x00\x00", "cut off: it ends inside the number of tensors"),
        (header(version=1), "is GGUF version 1; versions 2 and 3 are read"),
        (header(version=0), "is GGUF version 0"),
        (header(ARCHITECTURE, n_tensor=HUGE), "claims 1,152,921,504,606,846,976 tensors"),
        (header(ARCHITECTURE, n_key=HUGE), "claims 1,152,921,504,606,846,976 keys"),
        (header(key("a", ARRAY, array(UINT32, HUGE)), n_key=1), "claims 1,152,921,504,606,846,976 entries in a"),
        (header(key("a", ARRAY, array(STRING, HUGE)), n_key=1), "claims 1,152,921,504,606,846,976 entries in a"),
        (header(key("a", ARRAY, array(ARRAY, 1)), n_key=1), "the type 9, which GGUF does not have"),
        (header(key("a", ARRAY, array(77, 1)), n_key=1), "the type 77"),
        (header(key("a", 99, b"\0" * 8)), "gives a the type 99"),
        (header(key("a", STRING, struct.pack("<Q", 4 * 2**30)) + b"x" * 64), "a string of 4,294,967,296 bytes in a"),
        (header(struct.pack("<Q", 2**63) + b"x" * 64), "a string of 9,223,372,036,854,775,808 bytes in a key"),
        (header(key("a", ARRAY, array(STRING, 3, text("x") * 2 + struct.pack("<Q", 2**62))), n_key=1), "a string of"),
        (header(ARCHITECTURE, n_tensor=1) + b"\0" * 8, "cut off: it ends inside the shape of something without a name"),
        (header(ARCHITECTURE, b"\0" * 8, n_tensor=1), "cut off: it ends inside something without a name"),
        (header(ARCHITECTURE, n_tensor=1) + text("t") + number(9) + b"\0" * 99, "claims 9 axes in t"),
        (header(key("a", UINT32, number(1)), key("a", UINT32, number(2))), "gives the key a twice"),
        (header(key("x", UINT32, number(1))), "does not name its architecture"),
        (header(key("general.architecture", UINT32, number(1))), "does not name its architecture"),
        (header(key("general.architecture", STRING, text("clip"))), "holds an image encoder"),
        (header(key("split.no", UINT32, number(1)), key("split.count", UINT32, number(3))), "is part 2 of 3"),
        (header(ARCHITECTURE), "does not give llama.block_count"),
        (header(ARCHITECTURE, key("llama.block_count", UINT32, number(4))), "does not give llama.attention.head_count"),
        (header(ARCHITECTURE, key("llama.block_count", STRING, text("many"))), 'block_count is "many"'),
        (
            header(ARCHITECTURE, key("llama.block_count", FLOAT32, struct.pack("<f", float("inf")))),
            "block_count is Infinity",
        ),
        (header(ARCHITECTURE, key("llama.block_count", UINT32, number(2**32 - 1))), "block_count is 4294967295"),
        (header(ARCHITECTURE, key("llama.block_count", BOOL, b"\x01")), "block_count is true"),
    ],
)
def test_a_file_that_lies(data: bytes, said: str, tmp_path: Path) -> None:
    assert said in refusal(data, tmp_path)


def test_a_string_of_four_gibibytes_that_is_really_there_is_not_read(tmp_path: Path) -> None:
    data = header(key("a", STRING, struct.pack("<Q", 4 * 2**30)))
    assert f"{LONGEST_STRING:,} bytes are left or allowed" in refusal(data, tmp_path, size=5 * 2**30)


def test_more_strings_than_any_vocabulary_has_are_not_walked(tmp_path: Path) -> None:
    data = header(key("a", ARRAY, array(STRING, MOST_STRINGS + 1)))
    assert f"at most {MOST_STRINGS:,} are read" in refusal(data, tmp_path, size=2**31)


def test_a_list_with_room_for_its_claim_is_stepped_over(tmp_path: Path) -> None:
    path = tmp_path / "model.gguf"
    path.write_bytes(header(key("a", ARRAY, array(UINT32, 2**28))))
    with path.open("r+b") as file:
        file.truncate(2**31)
    assert read_header(path).values["a"].length == 2**28


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"attention.head_count_kv": 3}, "8 query heads cannot share 3 KV heads"),
        ({"attention.head_count": [8] * 5}, "attention.head_count has 5 entries but the model has 8 layers"),
        ({"embedding_length": 500}, "500 is no multiple of 8 heads"),
        ({"attention.kv_lora_rank": 64}, "does not give llama.rope.dimension_count"),
        ({"attention.key_length": 0}, "attention.key_length is 0"),
    ],
)
def test_keys_that_contradict_each_other(changes: dict, said: str, tmp_path: Path) -> None:
    path = write(tmp_path / "model.gguf", "llama", {**LLAMA, **changes})
    with pytest.raises(InputError) as caught:
        costing.report(str(path))
    assert said in str(caught.value)


def test_a_file_cut_off_anywhere_is_refused(tmp_path: Path) -> None:
    whole = write(tmp_path / "whole.gguf", "llama", LLAMA, {"token_embd.weight": (10, 512), "output.weight": (10, 512)})
    data = whole.read_bytes()
    path = tmp_path / "model.gguf"
    for end in [*range(0, 900, 7), len(data) - 10_000, len(data) - 100]:
        path.write_bytes(data[:end])
        with pytest.raises(InputError):
            costing.report(str(path))


def test_the_other_byte_order_is_read(tmp_path: Path) -> None:
    import gguf

    path = tmp_path / "big.gguf"
    writer = gguf.GGUFWriter(path, "llama", endianess=gguf.GGUFEndian.BIG)
    for name, value in LLAMA.items():
        writer.add_uint32(f"llama.{name}", value)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.close()
    assert costing.report(str(path), context=1)["kv_bytes"] == 8 * 2 * 64 * 4
