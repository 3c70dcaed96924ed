"""The facts of a shape as one line of text: what a session keeps of a file, and nothing of where the file lay."""

import json
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.core.checks import InputError
from explorer.core.cost_model import Architecture, Indexer, Layer, Parameters, State
from explorer.models import catalogue, facts, shapes

MIXED = Architecture(
    "a mixed model",
    (
        Layer("window", 16, 8, 256, 256, window=1024, chunked=True),
        Layer("full", 16, 4, 128, 96),
        Layer("latent", 128, 128, 192, 128, latent=512, rope=64, indexer=Indexer(0, 128, 2048)),
        Layer("constant", states=(State("recurrent state", 4096, 128), State("convolution state", 8192, 4, 2))),
        Layer("shared", 16, 8, 256, 256),
        Layer("full", 16, 4, 128, 96),
    ),
    d_model=4096,
    parameters=Parameters(embedding=10, projections=20, ffn=300, ffn_active=30, head=10, tied=True, vectors=4),
    weight_bytes=7_000_000_000,
    max_context=131_072,
    unknown=(("attention_flops", "Some pairs are not counted."),),
    notes=("Keys have width 128, values 96.",),
)


def test_a_shape_comes_back_as_it_was() -> None:
    back = facts.from_text(facts.to_text(MIXED))
    assert back == MIXED
    assert back.notes == MIXED.notes
    assert back.layers == MIXED.layers


@pytest.mark.parametrize("entry", catalogue.entries(), ids=lambda entry: entry.name)
def test_every_published_model_comes_back_and_costs_the_same(entry: catalogue.Entry) -> None:
    before = catalogue.architecture(entry)
    text = facts.to_text(before)
    assert "\n" not in text
    assert len(text) <= facts.LONGEST
    assert facts.from_text(text) == before


def test_the_text_does_not_say_where_the_file_was(tmp_path) -> None:
    folder = tmp_path / "a secret place"
    folder.mkdir()
    file = folder / "config.json"
    file.write_text(json.dumps({"model_type": "llama", "hidden_size": 64, "num_hidden_layers": 2,
                                "num_attention_heads": 4, "vocab_size": 100, "intermediate_size": 128}))  # fmt: skip
    text = facts.to_text(shapes.read_file(file))
    assert "secret" not in text
    assert str(tmp_path) not in text
    assert facts.from_text(text).n_layer == 2


def test_notes_give_way_before_the_order_of_the_layers_and_that_before_the_layers() -> None:
    talkative = Architecture("a", MIXED.layers, notes=("word " * 100,) * 30)
    assert facts.from_text(facts.to_text(talkative)).notes == ()
    alternating = [Layer("full", 2, 1, 8, 8), Layer("window", 2, 1, 8, 8, window=4)] * 1000
    back = facts.from_text(facts.to_text(Architecture("b", tuple(alternating))))
    assert dict(back.groups) == dict(Architecture("b", tuple(alternating)).groups)


def test_a_shape_with_too_many_kinds_of_layer_is_refused_in_one_sentence() -> None:
    layers = tuple(Layer("full", heads, 1, 8, heads) for heads in range(1, 400))
    with pytest.raises(InputError, match="a has 399 kinds of layer"):
        facts.to_text(Architecture("a", layers))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "not JSON"),
        ("[]", "holds a list"),
        ("{}", "at least one layer"),
        ('{"kinds":[{"kind":"full"}],"layers":[[1,1]]}', "names kind 1 of 1"),
        ('{"kinds":[{"kind":"round"}],"layers":[[0,1]]}', "kind of kind 0"),
        ('{"kinds":[{"kind":"full","n_head":4,"n_head_kv":3}],"layers":[[0,1]]}', "cannot share"),
        ('{"kinds":[{"kind":"full","n_head":1e3}],"layers":[[0,1]]}', "whole number"),
        ('{"kinds":[{"kind":"full"}],"layers":[[0,99999999]]}', "4,000 layers"),
        ('{"kinds":[{"kind":"full"}],"layers":[[0,-1]]}', "run 0 of layers"),
        ('{"kinds":[{"kind":"full","heads":4}],"layers":[[0,1]]}', "has no"),
        ('{"kinds":[{"kind":"full"}],"layers":[[0,1]],"parameters":{"tied":1}}', "true or false"),
        ('{"kinds":[{"kind":"full"}],"layers":[[0,1]],"unknown":["params"]}', "a figure and its sentence"),
    ],
)
def test_what_no_model_can_have_is_refused_in_one_sentence(text: str, said: str) -> None:
    with pytest.raises(InputError, match=said) as error:
        facts.from_text(text)
    assert "\n" not in str(error.value)


@settings(max_examples=300)
@given(seed=st.integers(0, 2**32 - 1))
def test_a_damaged_line_is_read_or_refused_never_anything_else(seed: int) -> None:
    chance = random.Random(seed)
    signs = list(facts.to_text(MIXED))
    for _ in range(chance.randint(1, 6)):
        at = chance.randrange(len(signs))
        what = chance.choice(["", chance.choice('{}[]",:0123456789-eE.truefalsn\\'), chr(chance.randrange(1, 0xD7FF))])
        signs[at] = what
    said = ""
    try:
        layers = facts.from_text("".join(signs)).layers
    except InputError as error:
        layers, said = (), str(error)
    assert layers or said
