"""Files that nobody vouches for: one sentence, whatever they hold, and never much memory."""

from __future__ import annotations

import copy
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from explorer import resources
from explorer.workbench import session, strictjson
from explorer.workbench.session import FormatError
from tests.workbench import zoo

jsonschema = pytest.importorskip("jsonschema")

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = max(200, settings.default.max_examples)
GOOD = session.dumps(session.fresh(zoo.CONCEPTS))
DOCUMENT = json.loads(GOOD)
# With bookmarks, so that these are damaged as well.
DOCUMENT["bookmarks"] = [{"tab": slug, "note": "n", **tab} for slug, tab in DOCUMENT["tabs"].items()]

STRANGE = st.sampled_from(
    [
        *(None, True, False, 0, -1, 3, 0.5, -0.0, 1e308, 10**9, 10**18, 2**63, 10**30),
        *("", "abc", "NaN", "-Infinity", "1", "\ud800", "\0", "x" * 5000, "../../etc/passwd", "__class__"),
        *([], {}, [[]], [None], [[[[[[1]]]]]], {"n": 10**9}, {"": 1}, [1] * 1000),
    ]
)
INSERTED = st.sampled_from(
    [b"NaN", b"1e999", b"-", b"[", b"}", b'"', b"\\", b"\xff", b",", b"9" * 50, b"[" * 40, b"\0"]
)


SCHEMA = jsonschema.Draft202012Validator(json.loads(resources.text("schema", "session-1.json")))


def places(value, path=()):
    """List every place in a document."""
    found = [path]
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, member in members:
        found += places(member, (*path, key))
    return found


PLACES = [path for path in places(DOCUMENT) if path]


def change(draw, document):
    """Replace, remove, rename, repeat or swap something."""
    path = draw(st.sampled_from(PLACES))
    holder = document
    for key in path[:-1]:
        try:
            holder = holder[key]
        except (LookupError, TypeError):
            return
    if not isinstance(holder, dict | list) or (isinstance(holder, list) and path[-1] >= len(holder)):
        return
    if isinstance(holder, dict) and path[-1] not in holder:
        return
    what = draw(st.sampled_from(["replace", "remove", "rename", "repeat", "move"]))
    if what == "replace":
        holder[path[-1]] = draw(STRANGE)
    elif what == "remove":
        del holder[path[-1]]
    elif what == "rename" and isinstance(holder, dict):
        holder[draw(st.text(max_size=5))] = holder.pop(path[-1])
    elif what == "repeat" and isinstance(holder, list):
        holder.insert(path[-1], copy.deepcopy(holder[path[-1]]))
    else:
        holder[path[-1]] = copy.deepcopy(draw(st.sampled_from(list(DOCUMENT["tabs"].values()))))


@st.composite
def mutated(draw):
    """Return a session file with a few things wrong in what it says, or in how it says it."""
    if draw(st.booleans()):
        document = copy.deepcopy(DOCUMENT)
        for _ in range(draw(st.integers(1, 3))):
            change(draw, document)
        return json.dumps(document).encode()
    data = bytearray(GOOD)
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, max(len(data) - 1, 0)))
        to = at + draw(st.integers(0, 40))
        what = draw(st.sampled_from(["cut", "flip", "insert", "double", "drop"]))
        if what == "cut":
            del data[at:]
        elif what == "flip" and data:
            data[min(at, len(data) - 1)] = draw(st.integers(0, 255))
        elif what == "insert":
            data[at:at] = draw(INSERTED)
        elif what == "double":
            data[at:at] = data[at:to]
        else:
            del data[at:to]
    return bytes(data)


@given(mutated())
@settings(max_examples=EXAMPLES, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
def test_a_damaged_session_is_read_or_refused_with_one_sentence(data):
    try:
        read = session.loads(data, "talk.attn", zoo.CONCEPTS)
    except FormatError as refusal:
        said = str(refusal)
        assert said.startswith("talk.attn")
        assert "\n" not in said
        assert len(said) < 600
    else:
        # What was accepted is a session like any other, and what the schema describes.
        SCHEMA.validate(json.loads(data))
        again = session.loads(session.dumps(read), "talk.attn", zoo.CONCEPTS)
        assert again.same_as(read)


@given(st.binary(max_size=300) | st.text(max_size=300).map(lambda text: text.encode("utf-8", "surrogatepass")))
@settings(max_examples=EXAMPLES)
def test_any_bytes_are_refused_with_one_sentence(data):
    with pytest.raises(FormatError, match=r"^talk\.attn[^\n]+$"):
        session.loads(data, "talk.attn", zoo.CONCEPTS)


def sparse(path):
    with path.open("wb") as stream:
        stream.truncate(2**30)


HEAD = b'{"format": "attention-explorer session", "version": 1, "front": "full-attention", "tabs": {'
MOST = strictjson.MOST_BYTES - 1000
HUGE = {
    "a sparse file of 1 GiB": (sparse, "holds 1,073,741,824 bytes; at most 8,388,608 are read"),
    "brackets": (b"[" * MOST, "of the sign [; at most"),
    "nested lists": (b"[" * 100_000 + b"]" * 100_000, "nests more than 16 brackets"),
    "nested objects": (b'{"a":' * 15_000 + b"1" + b"}" * 15_000, "nests more than 16 brackets"),
    "empty lists": (b"[" + b"[]," * 149_000 + b"[]]", "is JSON, but no Attention Explorer session"),
    "empty objects": (b"[" + b"{}," * 19_000 + b"{}]", "is JSON, but no Attention Explorer session"),
    "numbers": (b"[" + b"0.1," * 499_000 + b"1]", "is JSON, but no Attention Explorer session"),
    "long numbers": (b"[" + b"1234567.8901234," * 499_000 + b"1]", "is JSON, but no Attention Explorer session"),
    "texts": (b"[" + b'"abc",' * 99_000 + b"1]", "is JSON, but no Attention Explorer session"),
    "an object of many members": (
        b"{" + b",".join(b'"%d":%d' % (at, at) for at in range(59_000)) + b"}",
        "is JSON, but no Attention Explorer session",
    ),
    "many members of one name": (b"{" + b'"a":1,' * 59_000 + b'"a":1}', "$.a stands there twice"),
    "wide characters": (b'["' + "👩".encode() * ((MOST - 10) // 4) + b'"]', "is JSON, but no Attention"),
    "wide characters and numbers": (
        b'["' + "👩".encode() * 1_400_000 + b'",' + b"0.1," * 490_000 + b"[]," * 1000 + b"1]",
        "is JSON, but no Attention Explorer session",
    ),
    "escaped quotes": (b'["' + b'\\"' * 190_000 + b"[" * 140_000, "is not JSON"),
    "quotes": (b'"' * MOST, 'of the sign "; at most'),
    "one long number": (b"[" + b"1" * MOST + b"]", "a number has 8,387,608 characters; at most 800"),
    "a text of 8 MB for a name": (HEAD + b'"' + b"a" * (MOST - 200) + b'": {}}}', "has no tab 'aaa"),
    "10^9 tokens": (HEAD + b'"full-attention": {"sizes": {"n": 1000000000, "d_model": 4}, "inputs": {}}}}', "$."),
    "zeros": (b"\0" * MOST, "is not JSON"),
}


@pytest.mark.skipif(sys.platform != "linux", reason="measures memory as Linux does")
@pytest.mark.parametrize("kind", HUGE)
def test_a_hostile_file_takes_at_most_200_megabytes(tmp_path, kind):
    content, said = HUGE[kind]
    path = tmp_path / "hostile.attn"
    if callable(content):
        content(path)
    else:
        path.write_bytes(content)
    # A small process in between, because the maximum is inherited from the process that starts another.
    code = (
        "import resource, subprocess, sys;"
        "status = subprocess.run([sys.executable, '-m', 'explorer', 'compute', sys.argv[1]]).returncode;"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss); sys.exit(status)"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code, str(path)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 1
    assert done.stderr.startswith("attention-explorer: hostile.attn")
    assert said in done.stderr
    assert done.stderr.count("\n") == 1
    assert int(done.stdout) * 1024 <= 200 * 10**6


@pytest.mark.skipif(os.name != "posix", reason="named pipes and devices")
def test_pipes_and_devices_are_refused_without_waiting(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", Path("/dev/zero"), tmp_path):
        with pytest.raises(FormatError, match="is not a file; an Attention Explorer session is expected"):
            session.read(path)


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(FormatError, match=r"gone\.attn cannot be read: there is no such file"):
        session.read(tmp_path / "gone.attn")
    with pytest.raises(FormatError, match="there is no such file"):
        session.read("a\0b")
