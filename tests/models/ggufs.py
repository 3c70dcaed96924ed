"""Small GGUF files for the tests: well-formed ones by the gguf library, broken ones byte by byte."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

import gguf
import numpy as np

if TYPE_CHECKING:
    from pathlib import Path

STRING, ARRAY, UINT32, FLOAT32, BOOL = 8, 9, 4, 6, 7


def write(
    path: Path, architecture: str, values: dict[str, Any], tensors: dict[str, tuple[int, ...]] | None = None
) -> Path:
    """Write a file of the gguf library's making; values are keys below the architecture, tensors shapes as NumPy's."""
    writer = gguf.GGUFWriter(path, architecture)
    for key, value in values.items():
        name = key if key.startswith(("general.", "split.", "tokenizer.")) else f"{architecture}.{key}"
        if isinstance(value, bool):
            writer.add_bool(name, value)
        elif isinstance(value, int):
            writer.add_uint32(name, value)
        elif isinstance(value, str):
            writer.add_string(name, value)
        else:
            writer.add_array(name, value)
    for name, shape in (tensors or {}).items():
        writer.add_tensor(name, np.zeros(shape, dtype=np.float16))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def text(value: str | bytes) -> bytes:
    data = value.encode() if isinstance(value, str) else value
    return struct.pack("<Q", len(data)) + data


def key(name: str, kind: int, data: bytes) -> bytes:
    return text(name) + struct.pack("<I", kind) + data


def header(*keys: bytes, n_tensor: int = 0, n_key: int | None = None, version: int = 3) -> bytes:
    return b"GGUF" + struct.pack("<IQQ", version, n_tensor, len(keys) if n_key is None else n_key) + b"".join(keys)


LLAMA = {
    "context_length": 4096,
    "embedding_length": 512,
    "block_count": 8,
    "feed_forward_length": 1024,
    "attention.head_count": 8,
    "attention.head_count_kv": 2,
}
