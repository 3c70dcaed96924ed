"""A window that is never shown: whoever drives it from outside reads and writes its models all the same."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QTableView
from pytestqt.qtbot import QtBot

from explorer import cli
from explorer.app import make_window
from explorer.concepts import all_concepts, declaration
from explorer.ui.lifetime import close_all
from explorer.ui.render import picture, render

EDIT = Qt.ItemDataRole.EditRole


@pytest.mark.parametrize("slug", [concept.slug for concept in all_concepts()])
def test_models_hold_every_number_and_take_edits(qtbot: QtBot, slug: str) -> None:
    window = make_window(tab=slug)
    try:
        concept = window.workbench.concept(slug)
        results = window.workbench.results(slug)
        for name in declaration.shown_arrays(concept.layout):
            array = results.get(name)
            if array is None or array.ndim != 2:
                continue
            model = window.page.findChild(QTableView, name).model()
            assert (model.rowCount(), model.columnCount()) == array.shape, name
            assert model.data(model.index(0, 0), EDIT) == array[0, 0], name
        one = next((i for i in concept.inputs if i.kind == "number" and len(i.axes) == 2), None)
        if one is not None and (view := window.page.findChild(QTableView, one.name)) is not None:
            model, value = view.model(), max(one.limits[0], 2.0)
            assert model.setData(model.index(0, 0), value, EDIT)
            assert window.workbench.state(slug).inputs[one.name][0, 0] == value
            assert model.data(model.index(0, 0), EDIT) == value
            assert not model.setData(model.index(0, 0), float("nan"), EDIT)
            assert not model.setData(model.index(0, 0), "two", EDIT)
            assert model.setData(model.index(0, 0), f"{value:g},0", EDIT)
            assert model.data(model.index(0, 0), EDIT) == value
    finally:
        close_all(window)


def test_what_the_command_line_does_leaves_an_open_window_as_it_was(qtbot: QtBot, tmp_path: Path) -> None:
    window = make_window(tab="full-attention")
    try:
        window.resize(1280, 720)
        window.show()
        before = picture(window)
        for arguments in (
            ["render", "--tab", "7", "--theme", "dark", "--out", str(tmp_path)],
            ["new", "--tab", "7", "--out", str(tmp_path / "a.attn")],
            ["export", str(tmp_path / "a.attn"), "--to", "png", "--out", str(tmp_path / "a.png")],
            ["--exit-after-first-paint"],
        ):
            assert cli.main(arguments) == 0
            assert window.isVisible()
            assert picture(window) == before
    finally:
        close_all(window)


def test_a_folder_that_cannot_be_made_is_refused_with_a_sentence(qapp, tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("")
    with pytest.raises(ValueError, match="a file of that name is in"):
        render(tab=7, out=tmp_path / "taken")
