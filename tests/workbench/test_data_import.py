"""What other programs write is matched with a tab's inputs, and hostile files cost nothing."""

from __future__ import annotations

import io
import math
import struct
import sys
import tracemalloc
import zipfile

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from explorer.concepts import all_concepts
from explorer.concepts.declaration import KEY, QUERY, TOKENS, Axis, Concept, Edit, Input, Matrix, Size, Stage
from explorer.core.checks import InputError
from explorer.core.ops import attention
from explorer.workbench import data_export, data_files, data_import, documents, tables
from explorer.workbench.changes import Changes
from explorer.workbench.data_import import plan_file, plan_text
from explorer.workbench.state import initial
from tests.workbench import zoo

D_MODEL, D_HEAD = Axis("d_model"), Axis("d_head")


def _zeros(*axes):
    return lambda sizes: np.zeros([sizes[axis.size] for axis in axes])


ONE_HEAD = Concept(
    number=1,
    slug="one-head",
    title="One head",
    tokens=("a", "b", "c"),
    sizes=(Size("n", "tokens", 1, 8, 3), Size("d_model", "d_model", 1, 8, 4), Size("d_head", "d_head", 1, 8, 2)),
    inputs=(
        Input("x", (TOKENS, D_MODEL), "input", _zeros(TOKENS, D_MODEL)),
        Input("Wq", (D_MODEL, D_HEAD), "query", _zeros(D_MODEL, D_HEAD)),
        Input("Wk", (D_MODEL, D_HEAD), "key", _zeros(D_MODEL, D_HEAD)),
        Input("Wv", (D_MODEL, D_HEAD), "value", _zeros(D_MODEL, D_HEAD)),
        Input("look", (QUERY, KEY), "mask", lambda sizes: np.tri(sizes["n"], dtype=bool), kind="mask"),
    ),
    stages=(Stage("q", attention.project(), ("x", "Wq"), (TOKENS, D_HEAD), "query"),),
    layout=Matrix("x"),
)
STATE = initial(ONE_HEAD)


def matched(plan):
    return {match.source.name: match.target for match in plan.matches}


def problems(plan):
    return [str(match.problem) for match in plan.matches if match.problem is not None]


@pytest.fixture
def npz(tmp_path):
    def write(**arrays):
        np.savez(tmp_path / "arrays.npz", **arrays)
        return tmp_path / "arrays.npz"

    return write


# --- by name and by shape ---


def test_arrays_go_by_their_names_and_sizes_follow(npz):
    rng = np.random.default_rng(1)
    arrays = {"x": rng.normal(size=(5, 3)), "W_Q": rng.normal(size=(3, 4)), "wk": rng.normal(size=(3, 4))}
    plan = plan_file(ONE_HEAD, STATE, npz(**arrays))
    assert matched(plan) == {"x": "x", "W_Q": "Wq", "wk": "Wk"}
    assert plan.lines == [
        "x (5 × 3) goes into x",
        "W_Q (3 × 4) goes into Wq",
        "wk (3 × 4) goes into Wk",
        "tokens 3 → 5: inputs that are not imported follow",
        "d_model 4 → 3: inputs that are not imported follow",
        "d_head 2 → 4: inputs that are not imported follow",
    ]
    state = Changes(ONE_HEAD).with_edit(STATE, plan.edit())
    assert np.array_equal(state.inputs["x"], arrays["x"])
    assert np.array_equal(state.inputs["Wq"], arrays["W_Q"])
    assert state.inputs["Wv"].shape == (3, 4)


@pytest.mark.parametrize(
    ("name", "concept", "target"),
    [
        ("query", zoo.HEADS, "q"),
        ("Keys", zoo.HEADS, "k"),
        ("attention_scores", zoo.HEADS, "scores"),
        ("inputs", ONE_HEAD, "x"),
    ],
)
def test_usual_names_are_understood(npz, name, concept, target):
    state = initial(concept)
    plan = plan_file(concept, state, npz(**{name: np.ones(state.inputs[target].shape)}))
    assert matched(plan) == {name: target}


def test_an_array_without_a_known_name_goes_where_its_shape_fits_alone(npz):
    assert matched(plan_file(ONE_HEAD, STATE, npz(a=np.ones((5, 4))))) == {"a": "x"}


def test_an_array_that_fits_several_inputs_asks(npz):
    path = npz(a=np.ones((4, 2)))
    plan = plan_file(ONE_HEAD, STATE, path)
    assert problems(plan) == ["a (4 × 2) could be Wq, Wk or Wv; choose one"]
    assert plan.matches[0].candidates == ("Wq", "Wk", "Wv")
    with pytest.raises(InputError, match=r"nothing here can be imported into tab 1: a \(4 × 2\) could be"):
        plan.edit()
    assert matched(plan_file(ONE_HEAD, STATE, path, {0: "Wk"})) == {"a": "Wk"}
    assert matched(plan_file(ONE_HEAD, STATE, path, {0: None})) == {"a": None}


def test_what_does_not_fit_is_said_and_the_rest_is_imported(npz):
    plan = plan_file(
        ONE_HEAD,
        STATE,
        npz(
            x=np.ones((3, 4)),
            Wq=np.ones((5, 2)),
            Wk=np.ones((4, 99)),
            Wv=np.ones(4),
            q=np.ones((3, 2)),
            a=np.ones((2, 2, 2)),
        ),
    )
    assert matched(plan) == {"x": "x", "Wq": None, "Wk": None, "Wv": None, "q": None, "a": None}
    assert problems(plan) == [
        "Wq is 5 × 2; Wq must be d_model × d_head with d_model = 4, as x has it",
        "Wk is 4 × 99; Wk must be d_model × d_head with d_head from 1 to 8",
        "Wv is 4; Wv must be d_model × d_head",
        "q is computed in tab 1 and cannot be imported; it takes x, Wq, Wk, Wv, look",
        "a (2 × 2 × 2) fits no input of tab 1; it takes x, Wq, Wk, Wv, look",
    ]
    assert list(plan.edit().inputs) == ["x"]


def test_two_arrays_cannot_go_into_one_input(npz):
    plan = plan_file(ONE_HEAD, STATE, npz(x=np.ones((3, 4)), X=np.ones((3, 4))))
    assert problems(plan) == ["X would go into x, which x fills already"]


def test_axes_of_one_in_front_are_left_out(npz):
    assert plan_file(ONE_HEAD, STATE, npz(x=np.ones((1, 1, 3, 4)))).edit().inputs["x"].shape == (3, 4)


@pytest.mark.parametrize("dtype", ["<f4", ">f8", "<f2", "<i4", "u1", "?"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_any_real_kind_of_number_in_any_order_becomes_float64(tmp_path, dtype, order):
    array = np.array(np.arange(12).reshape(3, 4) % 2, dtype=dtype, order=order)
    np.save(tmp_path / "x.npy", array)
    read = plan_file(ONE_HEAD, STATE, tmp_path / "x.npy").edit().inputs["x"]
    assert read.dtype == np.float64
    assert np.array_equal(read, array)
    assert read.flags.c_contiguous


@pytest.mark.parametrize(("value", "said"), [(math.nan, "nan"), (math.inf, "inf")])
def test_what_is_not_finite_is_refused_with_its_cell(npz, value, said):
    array = np.ones((3, 4))
    array[1, 2] = value
    with pytest.raises(InputError, match=rf"x\[1, 2\] is {said}; every number must be finite"):
        plan_file(ONE_HEAD, STATE, npz(x=array)).edit()


def test_a_mask_takes_zeros_and_ones(npz):
    look = np.array([[1, 0, 0], [1, 1, 0], [1, 0, 1]])
    assert np.array_equal(plan_file(ONE_HEAD, STATE, npz(look=look)).edit().inputs["look"], look.astype(bool))
    with pytest.raises(InputError, match=r"look\[0, 0\] is 2; a mask takes 1"):
        plan_file(ONE_HEAD, STATE, npz(look=look * 2)).edit()


# --- text ---


@pytest.mark.parametrize(
    "text",
    [
        "1\t2\t3\t4\n5\t6\t7\t8.5\n",
        "1,2,3,4\r\n5,6,7,8.5\r\n",
        "1;2;3;4\n5;6;7;8,5",
        "1 2 3 4\n5 6 7 8.5",
        "\ufeffx,0,1,2,3\n0,1,2,3,4\n1,5,6,7,8.5",
        ",a,b,c,d\n0,1,2,3,4\n1,5,6,7,8.5",
        "a,b,c,d\n1,2,3,4\n5,6,7,8.5",
        "the\t1\t2\t3\t4\ncat\t5\t6\t7\t8.5",
        "\ufeff1\t2\t3\t4\n5\t6\t7\t8.5\n",
        "1,0 2,0 3,0 4,0\n5,0 6,0 7,0 8,5",
        "\n\n1\t2\t3\t4\t\n5\t6\t7\t8.5\t\n\n",
    ],
)
def test_tables_are_read_with_and_without_labels(text):
    plan = plan_text(ONE_HEAD, STATE, text, {0: "x"})
    assert plan.edit().inputs["x"].tolist() == [[1, 2, 3, 4], [5, 6, 7, 8.5]]


def test_a_paste_of_decimal_commas_is_a_column_and_a_file_is_not(tmp_path):
    assert tables.read("0,5\n1,5", "it", decimal_commas=True)[0].cells == [["0,5"], ["1,5"]]
    (tmp_path / "x.csv").write_text("0,5\n1,5")
    assert data_files.open_file(tmp_path / "x.csv")[0].shape == (2, 2)


def test_row_labels_name_the_tokens():
    plan = plan_text(ONE_HEAD, STATE, "x,0,1,2,3\n<the>,1,2,3,4\n50%,5,6,7,8")
    assert plan.tokens == ("<the>", "50%")
    assert plan.lines[-1] == "tokens are called <the>, 50%"


def test_a_csv_file_is_called_by_its_name_and_its_tables_by_theirs(tmp_path):
    (tmp_path / "Wk.csv").write_text("1,2\n3,4\n5,6\n7,8")
    assert matched(plan_file(ONE_HEAD, STATE, tmp_path / "Wk.csv")) == {"Wk": "Wk"}
    (tmp_path / "both.csv").write_text("Wk,0,1\n0,1,2\n\nWq,0,1\n0,3,4\n")
    plan = plan_file(ONE_HEAD, STATE, tmp_path / "both.csv")
    assert matched(plan) == {"Wk": "Wk", "Wq": "Wq"}


def test_utf_16_as_spreadsheets_save_it_is_read(tmp_path):
    (tmp_path / "x.txt").write_text("x\t0\t1\t2\t3\nالكلمة\t1\t2\t3\t4", encoding="utf-16")
    assert plan_file(ONE_HEAD, STATE, tmp_path / "x.txt").tokens == ("الكلمة",)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "holds no numbers"),
        ("one two\nthree four", "holds no numbers"),
        ("1,2,3\n4,5", "line 2 of what you paste has 2 cells and others have 3"),
        ("1\t2\t3\t4\n5\t6\t7\tabc", r"\[1, 3\]: “abc” is not a number"),
        ("1\t2\t3\t4\n5\t6\t7\t", "holds no numbers|has 3 cells|nothing was typed"),
        ("1\t2\t3\t4\n5\t6\t7\tnan", r"\[1, 3\]: “nan” is not a finite number"),
        ("1\t2\t3\t4\n5\t6\t7\t1e999", r"\[1, 3\]: .* too large"),
        ('1\t2\t3\t4\n5\t6\t7\t"' + "x" * 200_000, "cannot be read: field larger"),
        ("nan\t2\t3\t4\n5\t6\t7\t8", r"\[0, 0\]: “nan” is not a finite number"),
        ("1e999,2,3,4\n5,6,7,8", r"\[0, 0\]: .* too large"),
        ("#DIV/0!;2;3;4\n5;6;7;8", r"\[0, 0\]: “#DIV/0!” is not a finite number"),
        ("1.O,2,3,4\n5,6,7,8", r"\[0, 0\]: “1.O” is not a number"),
        ("1 " * 400_000, "is too large; at most 150,000 cells"),
        ("1\n\n" * 600, "is too large"),
        ("1\n" * 200_000, "is too large"),
        ('"' * 400_000, "is too large"),
        ("1\t2\t3\t" + "4" * 100_000, r"\[0, 3\]: “4444.*…” is not a number"),
        ("1" * (16 * 2**20 + 1), "is too large"),
    ],
)
def test_what_is_no_table_of_numbers_is_refused(text, said):
    with pytest.raises(InputError, match=said) as refusal:
        plan_text(ONE_HEAD, STATE, text, {0: "x"}).edit()
    assert len(str(refusal.value)) < 300


@given(zoo.states())
@settings(suppress_health_check=[HealthCheck.too_slow])
def test_what_is_exported_as_csv_is_imported_again(state):
    arrays = [
        data_export.labelled(zoo.HEADS, state, state.inputs, name)
        for name in ("q", "k", "look", "scores", "share", "row")
    ]
    text = data_export.as_csv(arrays)
    plan = plan_text(zoo.HEADS, state, text)
    edit = plan.edit()
    for name, array in edit.inputs.items():
        assert np.array_equal(array, state.inputs[name])
    # A tab of one head and one token leaves nothing that tells an array from its labels; names do.
    assert set(edit.inputs) == {one.name for one in arrays}
    assert edit.tokens in (None, state.tokens)


@pytest.mark.parametrize("tokens", [("0.5", "nan", "the"), ("-Infinity", "1e999", "<b>"), ("50%", "#N/A", "x,y;\t'\"")])
@pytest.mark.parametrize("concept", [one for one in all_concepts() if one.tokens], ids=lambda concept: concept.slug)
def test_names_of_tokens_that_look_like_numbers_survive_csv(concept, tokens):
    changes = Changes(concept)
    state = changes.with_edit(changes.initial, Edit(sizes={"n": 3}, tokens=tokens))
    arrays = [data_export.labelled(concept, state, state.inputs, one.name) for one in concept.inputs]
    edit = plan_text(concept, state, data_export.as_csv(arrays)).edit()
    assert edit.tokens in (None, state.tokens)
    assert {name: array.tobytes() for name, array in edit.inputs.items()} == {
        name: array.tobytes() for name, array in state.inputs.items()
    }


@pytest.mark.parametrize("version", [(1, 0), (2, 0), (3, 0)])
def test_every_version_of_npy_is_read(tmp_path, version):
    with (tmp_path / "x.npy").open("wb") as file:
        np.lib.format.write_array(file, np.arange(12.0).reshape(3, 4), version=version)
    plan = plan_file(ONE_HEAD, STATE, tmp_path / "x.npy")
    assert plan.edit().inputs["x"].tolist() == np.arange(12.0).reshape(3, 4).tolist()


def test_a_mask_is_matched_by_what_others_call_it(npz):
    tab = next(one for one in all_concepts() if any(given.name == "allowed" for given in one.inputs))
    plan = plan_file(tab, initial(tab), npz(mask=np.tri(4)))
    assert plan.edit().inputs["allowed"].tolist() == np.tri(4, dtype=bool).tolist()


def test_a_sessions_npz_is_imported_into_the_tab_that_it_came_from(tmp_path):
    file, out = tmp_path / "talk.attn", tmp_path / "talk.npz"
    documents.write_new(file)
    documents.export(file, kind="npz", out=out)
    tab = documents.concept(documents.session.read(file).front)
    state = initial(tab)
    plan = plan_file(tab, state, out)
    assert not problems(plan)
    assert {name: array.tobytes() for name, array in plan.edit().inputs.items()} == {
        name: array.astype(array.dtype).tobytes() for name, array in state.inputs.items()
    }


# --- hostile ---


def npy_claiming(shape, dtype="<f8", body=b""):
    out = io.BytesIO()
    np.lib.format.write_array_header_1_0(out, {"descr": dtype, "fortran_order": False, "shape": shape})
    return out.getvalue() + body


def zipped(**members):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(f"{name}.npy", data)
    return out.getvalue()


def header(text):
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode()


HOSTILE = {
    "a claim": (npy_claiming((10**9, 10**9)), "1000000000 × 1000000000, that is 1,000,000,000,000,000,000 cells"),
    "a claim of many axes": (npy_claiming((2,) * 40), "2 × 2 × 2 × 2 × 2 × 2 × 2 × 2 × …"),
    "more than the file holds": (
        npy_claiming((3, 4), body=b"\0" * 95),
        "is cut off: it claims 3 × 4 and holds 95 of 96",
    ),
    "negative": (npy_claiming((-3, 4)), "-3 × 4 is no shape of a matrix"),
    "truth values for a shape": (npy_claiming((True, 4), body=b"\0" * 32), "True × 4 is no shape of a matrix"),
    "objects": (npy_claiming((3, 4), "|O", b"\0" * 96), "holds object; real numbers or truth values"),
    "text": (npy_claiming((3, 4), "<U5", b"\0" * 240), "holds <U5"),
    "complex": (npy_claiming((3, 4), "<c16", b"\0" * 192), "holds complex128"),
    "fields": (npy_claiming((3,), [("a", "<f8"), ("b", "|O")]), "real numbers or truth values"),
    "half a header": (npy_claiming((3, 4))[:20], "is no readable NPY file"),
    "only a magic": (b"\x93NUMPY", "is no readable NPY file"),
    "another version": (b"\x93NUMPY\x09\x00" + b"\0" * 100, "is no readable NPY file"),
    "a header of code": (header("__import__('os').system('true')" + " " * 80), "is no readable NPY file"),
    "a deep header": (header("(" * 5000), "is no readable NPY file"),
    "a long header": (header("{'descr': '<f8'," + " " * 60_000), "is no readable NPY file"),
    "a pickle": (b"\x80\x04\x95\x10\x00\x00\x00\x00\x00\x00\x00", "byte 0 is not UTF-8 text; a table"),
    "an empty archive": (zipped(), "holds no arrays"),
    "half an archive": (zipped(x=npy_claiming((3, 4), body=b"\0" * 96))[:60], "is no readable NPZ file"),
    "too many arrays": (zipped(**{f"a{at}": b"" for at in range(2001)}), "holds more than 2000 arrays"),
    "a huge table of contents": (b"PK\x05\x06" + b"\0" * 8 + b"\xff" * 4 + b"\0" * 6, "holds more than 2000 arrays"),
    "beyond 4 GiB": (b"PK\x05\x06" + b"\0" * 18 + b"PK\x06\x07" + b"\0" * 16, "holds more than 2000 arrays"),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_files_are_refused_before_anything_is_allocated(tmp_path, kind):
    data, said = HOSTILE[kind]
    path = tmp_path / "hostile.npy"
    path.write_bytes(data)
    tracemalloc.start()
    try:
        with pytest.raises(InputError) as refusal:
            plan_file(ONE_HEAD, STATE, path)
        assert tracemalloc.get_traced_memory()[1] < 4 * 2**20
    finally:
        tracemalloc.stop()
    assert said in str(refusal.value)
    assert "\n" not in str(refusal.value)


MEMBERS = {
    "a bomb": (npy_claiming((10**9, 10**9), body=b"\0" * 10**7), "cells; at most 1,000,000 are read"),
    "objects": (npy_claiming((3, 4), "|O"), "holds object"),
    "nothing": (b"", "is no readable NPY file"),
    "cut off": (npy_claiming((3, 4), body=b"\0" * 95), "is cut off"),
}


@pytest.mark.parametrize("kind", MEMBERS)
def test_a_hostile_member_is_said_and_does_not_keep_the_others_out(tmp_path, kind):
    data, said = MEMBERS[kind]
    path = tmp_path / "arrays.npz"
    path.write_bytes(zipped(x=data, Wq=npy_claiming((4, 2), body=b"\0" * 64)))
    plan = plan_file(ONE_HEAD, STATE, path)
    assert said in problems(plan)[0]
    assert list(plan.edit().inputs) == ["Wq"]


def test_a_damaged_member_is_found_when_it_is_read(tmp_path):
    data = bytearray(zipped(x=npy_claiming((3, 4), body=np.arange(12.0).tobytes())))
    at = data.index(b"PK\x01\x02") - 20
    data[at] ^= 0xFF
    path = tmp_path / "arrays.npz"
    path.write_bytes(data)
    with pytest.raises(InputError, match=r"arrays\.npz|x is|nothing here"):
        plan_file(ONE_HEAD, STATE, path).edit()


@given(st.data())
@settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
def test_any_damage_is_refused_with_one_sentence_or_does_not_matter(tmp_path, data):
    good = data.draw(
        st.sampled_from(
            [
                zipped(x=npy_claiming((3, 4), body=np.arange(12.0).tobytes())),
                npy_claiming((3, 4), body=np.arange(12.0).tobytes()),
                b"x,0,1,2,3\r\nthe,1,2,3,4\r\ncat,5,6,7,8\r\n",
            ]
        )
    )
    damaged = bytearray(good)
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(damaged) - 1))
        if data.draw(st.booleans()):
            damaged[at] = data.draw(st.integers(0, 255))
        else:
            del damaged[at : at + data.draw(st.integers(1, 9))]
        if not damaged:
            break
    path = tmp_path / "x.npy"
    path.write_bytes(damaged)
    try:
        edit = plan_file(ONE_HEAD, STATE, path).edit()
        Changes(ONE_HEAD).with_edit(STATE, edit)
    except InputError as refusal:
        if "\n" in str(refusal):
            pytest.fail(f"more than a line: {refusal}")


def test_a_huge_text_is_not_read(tmp_path):
    with (tmp_path / "x.csv").open("wb") as stream:
        stream.write(b"1,2\n")
        stream.truncate(2**30)
    with pytest.raises(InputError, match=r"x\.csv holds 1,073,741,824 bytes; at most"):
        plan_file(ONE_HEAD, STATE, tmp_path / "x.csv")


def test_nothing_that_reads_files_can_unpickle():
    assert "pickle" not in {name for module in (data_files, data_import, tables) for name in vars(module)}
    assert sys.modules["explorer.workbench.data_files"].npy.read_array_header_1_0 is np.lib.format.read_array_header_1_0
