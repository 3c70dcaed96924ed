"""Tab 1, why context: one row of a word table serves every phrase, until a share of the neighbour is mixed in.

The words are fixed here, their numbers are not. Three numbers a word cannot be drawn in a plane: it shows two of them,
and says which one is not seen.
"""

from __future__ import annotations

from functools import partial
from itertools import combinations

import numpy as np

from explorer.concepts.declaration import (
    Arrow,
    Axis,
    Choice,
    Column,
    Concept,
    Custom,
    Input,
    Matrix,
    Row,
    Situation,
    Sizes,
    Slider,
    Stage,
    Step,
    Tile,
    Values,
)
from explorer.concepts.shown.links import Link
from explorer.concepts.shown.plane import Path, Plane, Vector
from explorer.core import lesson
from explorer.core.ops import embedding, similarity

OWN, NEIGHBOURS = lesson.AMBIGUOUS_WORD, lesson.NEIGHBOURS
WORDS = (*NEIGHBOURS, OWN)
ROW = {word: row for row, word in enumerate(WORDS)}
PHRASES = tuple(f"{neighbour} {OWN}" for neighbour in NEIGHBOURS)
BOX = (-0.2, 1.2, -0.2, 1.1)
#: Which two properties the plane shows, by the name of the choice.
PAIRS = {
    f"{lesson.PROPERTIES[a]}-{lesson.PROPERTIES[b]}": (a, b) for a, b in combinations(range(len(lesson.PROPERTIES)), 2)
}
#: Cosines nearer to each other than this lean to neither side.
EVEN = 0.03

PROPERTY = Axis("3", "", lesson.PROPERTIES)
NEIGHBOUR = Axis("2", "", NEIGHBOURS)
PHRASE = Axis("2", "", PHRASES)


def _table(_sizes: Sizes) -> lesson.Floats:
    return np.stack([lesson.EMBEDDINGS[word] for word in WORDS])


def _read(phrase: str, rows: tuple[int, int], _situation: Situation, _results: Values) -> list[Link]:
    return [Link(("embeddings", row), (phrase, i), strong=row == ROW[OWN]) for i, row in enumerate(rows)]


def _links(neighbour: str) -> Custom:
    name = f"{neighbour}_{OWN}"
    title = f"rows that “{neighbour} {OWN}” reads from the table"
    model = partial(_read, name, (ROW[neighbour], ROW[OWN]))
    return Custom("links", f"{name}_links", model, {"title": title}, arrays=(name,))


def _nearer(cosines: lesson.Floats) -> int:
    return int(np.argmax(cosines))


def _lean(cosines: lesson.Floats) -> str:
    return "neither" if np.ptp(cosines) < EVEN else NEIGHBOURS[_nearer(cosines)]


def _against(cosines: lesson.Floats) -> str:
    high, low = sorted((float(value) for value in cosines), reverse=True)
    return f"{high:.2f} against {low:.2f}"


def _tiles(situation: Situation, results: Values) -> list[Tile]:
    share, alone = float(situation.controls["share"]), results["alone"][0]
    tiles = [
        Tile(f"{OWN} alone, 0 %", f"leans to {_lean(alone)}", _against(alone), cell=("alone", (0, _nearer(alone))))
    ]
    for i, (phrase, neighbour) in enumerate(zip(PHRASES, NEIGHBOURS, strict=True)):
        row = results["cosines"][i]
        leans, cell = _lean(row), ("cosines", (i, _nearer(row)))
        if share == 100:
            tiles.append(Tile(phrase, f"is {neighbour}", f"nothing of {OWN} is left", "bad", cell))
        else:
            tiles.append(
                Tile(phrase, f"leans to {leans}", _against(row), "good" if leans == neighbour else "bad", cell)
            )
    return tiles


def _plane(situation: Situation, results: Values) -> Plane:
    a, b = PAIRS[situation.controls["seen"]]
    hidden = next(name for i, name in enumerate(lesson.PROPERTIES) if i not in (a, b))
    table, mixed = results["embeddings"], results["mixed"]

    def at(row: lesson.Floats) -> tuple[float, float]:
        return float(row[a]), float(row[b])

    words = [
        Vector(word, at(table[row]), "input", "embeddings", ((row, a), (row, b)), draggable=True)
        for word, row in ROW.items()
    ]
    blends = [Vector(phrase, at(mixed[i]), "output", "mixed", ((i, a), (i, b))) for i, phrase in enumerate(PHRASES)]
    paths = tuple(Path(at(table[ROW[OWN]]), at(table[ROW[word]]), "output") for word in NEIGHBOURS)
    return Plane(
        (*words, *blends),
        BOX,
        lesson.PROPERTIES[a],
        lesson.PROPERTIES[b],
        paths=paths,
        note=f"Not seen here: {hidden}. The cosines count it.",
    )


CONCEPT = Concept(
    number=1,
    slug="why-context",
    title="Why context",
    inputs=(Input("embeddings", (Axis("3", "", WORDS), PROPERTY), "input", _table, title="word table"),),
    controls=(
        Slider("share", "neighbour's share", 0, 100, 1, 50, unit="%"),
        Choice("seen", "plane", tuple((name, name.replace("-", " × ")) for name in PAIRS), next(iter(PAIRS))),
    ),
    stages=(
        *(
            Stage(
                f"{word}_{OWN}",
                embedding.lookup((ROW[word], ROW[OWN])),
                ("embeddings",),
                (Axis("2", "", (word, OWN)), PROPERTY),
                "input",
                title=f"“{word} {OWN}”",
            )
            for word in NEIGHBOURS
        ),
        Stage(
            "mixed",
            embedding.blend([(ROW[OWN], ROW[word]) for word in NEIGHBOURS]),
            ("embeddings", "share"),
            (PHRASE, PROPERTY),
            "output",
        ),
        Stage(
            "cosines",
            similarity.cosines(None, [ROW[word] for word in NEIGHBOURS]),
            ("mixed", "embeddings"),
            (PHRASE, NEIGHBOUR),
            "plain",
            title="cosine with",
            symbol="cosine",
        ),
        Stage(
            "alone",
            similarity.cosines([ROW[OWN]], [ROW[word] for word in NEIGHBOURS]),
            ("embeddings", "embeddings"),
            (Axis("1", "", (OWN,)), NEIGHBOUR),
            "plain",
            title=f"cosine of {OWN} alone",
        ),
    ),
    steps=(
        Step("look up", tuple(f"{word}_{OWN}" for word in NEIGHBOURS), f"Both phrases read the same row for {OWN}."),
        Step("mix", ("mixed",), f"{OWN} takes a share of its neighbour."),
        Step("compare", ("cosines", "alone"), "Which neighbour does each mix point to?"),
    ),
    pinned=("cosines", (0, 0)),
    layout=Column(
        (
            Row(
                (
                    Matrix("river_bank", span=1.0),
                    _links("river"),
                    Matrix("embeddings", span=1.0),
                    _links("money"),
                    Matrix("money_bank", span=1.0),
                )
            ),
            Row(
                (
                    Column(
                        (
                            Row((Matrix("mixed", span=1.0), Arrow(), Matrix("cosines", span=1.0))),
                            Custom(
                                "tiles",
                                "verdict",
                                _tiles,
                                {"stacked_in_show": False, "title": "which neighbour each vector leans to"},
                                arrays=("cosines",),
                            ),
                        )
                    ),
                    Custom(
                        "plane",
                        "plane",
                        _plane,
                        {"size": (20.0, 16.0), "size_in_show": (16.0, 10.0), "title": "the words in a plane"},
                        arrays=("mixed",),
                    ),
                )
            ),
        )
    ),
)
