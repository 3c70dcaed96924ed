"""Numbers in and out of the window: imports with a preview, exports from the menu and from a matrix."""

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QGuiApplication, QImage
from PySide6.QtWidgets import QApplication, QComboBox, QInputDialog, QMenu
from pytestqt.qtbot import QtBot

from explorer.core.javarandom import JavaRandom
from explorer.ui import matrix_menu
from explorer.ui import theme as themes
from explorer.ui.import_dialog import ImportDialog
from explorer.ui.picture_dialog import PictureDialog
from explorer.ui.window import MainWindow
from explorer.workbench import data_files
from tests.ui.asking import SEVEN, choose, dialog, edit, told, trigger

# --- importing ---


def test_an_import_says_what_goes_where_and_is_one_step(window: MainWindow, tmp_path: Path) -> None:
    x = np.arange(20.0).reshape(5, 4)
    np.savez(tmp_path / "some.npz", x=x, Wq=np.eye(4, 2), q=np.ones((4, 2)))
    trigger(window, "import")
    choose(window, tmp_path / "some.npz")
    box = dialog(window, ImportDialog)
    rows = [[item.text() if (item := box.table.item(r, c)) else "" for c in (0, 1, 4)] for r in range(3)]
    assert rows[0] == ["x", "5 × 4", ""]
    assert rows[2][:2] == ["q", "4 × 2"]
    assert "computed in tab 7" in rows[2][2]
    assert targets(box) == ["x", "Wq", None]
    assert "tokens 4 → 5" in box.changes.text()
    box.accept()
    state = window.workbench.state(SEVEN)
    assert np.array_equal(state.inputs["x"], x)
    assert (state.sizes["n"], window.workbench.undo_label) == (5, "import x, Wq")
    window.undo()
    assert not window.workbench.edited(SEVEN)


def targets(box: ImportDialog) -> list[object]:
    return [box.findChild(QComboBox, f"target_{row}").currentData() for row in range(box.table.rowCount())]


def test_where_an_array_goes_can_be_decided_otherwise(window: MainWindow, tmp_path: Path) -> None:
    np.savez(tmp_path / "some.npz", mine=np.full((4, 2), 0.5))
    window.files.bring_in(tmp_path / "some.npz")
    box = dialog(window, ImportDialog)
    chooser = box.findChild(QComboBox, "target_0")
    assert chooser is not None
    assert targets(box) == [None], "three inputs have that shape"
    assert not box.button.isEnabled()
    chooser.setCurrentIndex(chooser.findData("Wk"))
    chooser.activated.emit(chooser.currentIndex())
    assert box.button.isEnabled()
    chooser.setCurrentIndex(chooser.findData("x"))
    chooser.activated.emit(chooser.currentIndex())
    assert box.button.isEnabled(), "x takes any width: d_model follows"
    chooser.setCurrentIndex(0)
    chooser.activated.emit(0)
    assert not box.button.isEnabled()
    chooser.setCurrentIndex(chooser.findData("Wk"))
    chooser.activated.emit(chooser.currentIndex())
    box.accept()
    assert (window.workbench.state(SEVEN).inputs["Wk"] == 0.5).all()
    assert not window.workbench.edited("multi-head")


def test_a_number_that_is_none_is_refused_in_the_dialog(window: MainWindow, tmp_path: Path) -> None:
    x = np.ones((4, 4))
    x[1, 2] = np.nan
    np.save(tmp_path / "x.npy", x)
    window.files.bring_in(tmp_path / "x.npy")
    box = dialog(window, ImportDialog)
    box.accept()
    assert "x[1, 2]" in box.refusal.text()
    assert box.refusal.isVisible()
    assert box.isVisible()
    assert not window.workbench.edited(SEVEN)


def test_what_is_too_large_is_refused_before_it_is_read(window: MainWindow, tmp_path: Path, monkeypatch) -> None:
    with (tmp_path / "x.npy").open("wb") as file:
        header = {"descr": "<f8", "fortran_order": False, "shape": (10**9, 10**9)}
        np.lib.format.write_array_header_1_0(file, header)
    monkeypatch.setattr(data_files, "_body", None)
    window.files.bring_in(tmp_path / "x.npy")
    assert "at most 1,000,000 are read" in told(window)


def test_the_clipboard_can_be_imported_with_names(qtbot: QtBot, window: MainWindow) -> None:
    QGuiApplication.clipboard().setText("Wq\ta\tb\n0\t1\t0\n1\t0\t1\n2\t0,5\t0\n3\t0\t0,5\n")
    view = window.page.panels("x")[0].view
    view.setFocus()
    qtbot.waitUntil(view.hasFocus)
    before = window.workbench.state(SEVEN)
    qtbot.keyClick(view, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
    assert window.workbench.state(SEVEN) is before, "the key imports, also where Ctrl+V pastes into cells"
    box = dialog(window, ImportDialog)
    assert targets(box) == ["Wq"]
    box.accept()
    assert window.workbench.state(SEVEN).inputs["Wq"].tolist() == [[1, 0], [0, 1], [0.5, 0], [0, 0.5]]
    QGuiApplication.clipboard().setText("no numbers here")
    trigger(window, "paste_special")
    assert told(window)


# --- exporting ---


def test_every_kind_of_file_is_exported_from_the_menu(window: MainWindow, tmp_path: Path) -> None:
    edit(window)
    x = window.workbench.state(SEVEN).inputs["x"]
    for name, path in (("csv", "tab.csv"), ("py", "tab.py"), ("npz", "all.npz")):
        trigger(window, f"export_{name}")
        choose(window, tmp_path / path)
    assert "0.625" in (tmp_path / "tab.csv").read_text("utf-8-sig")
    assert "0.625" in (tmp_path / "tab.py").read_text("utf-8")
    with np.load(tmp_path / "all.npz") as arrays:
        assert np.array_equal(arrays["x"], x)
        assert np.array_equal(arrays[f"{SEVEN}/x"], x)


def test_a_file_that_cannot_be_written_is_told(window: MainWindow, tmp_path: Path) -> None:
    trigger(window, "export_csv")
    choose(window, tmp_path / "nowhere" / "tab.csv")
    assert "there is no folder" in told(window)


def menu_action(window: MainWindow, name: str, submenu: str, text: str) -> QAction:
    menu = matrix_menu.build_menu(window.page, name, [(0, 0)])
    inner = menu.findChild(QMenu, submenu)
    assert inner is not None
    return next(action for action in inner.actions() if action.text() == text)


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ("CSV", "weights,the,cat,sat,down\r\nthe,1,0,0,0\r\n"),
        ("LaTeX", "\\text{the} & 1 & 0 & 0 & 0 \\\\"),
        ("NumPy literal", "weights = np.array([\n    [1.0, 0.0, 0.0, 0.0],\n"),
    ],
)
def test_a_matrix_is_copied_as_text(window: MainWindow, form: str, expected: str) -> None:
    menu_action(window, "weights", "copy_as", form).trigger()
    assert expected in QGuiApplication.clipboard().text()


def test_a_matrix_is_copied_as_a_picture(window: MainWindow) -> None:
    menu_action(window, "weights", "copy_as", "Picture").trigger()
    assert QGuiApplication.clipboard().image().width() > 400


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("CSV…", "w.csv"),
        ("NPY…", "w.npy"),
        ("LaTeX…", "w.tex"),
        ("NumPy literal…", "w.py"),
        ("PNG picture…", "w.png"),
        ("SVG drawing…", "w.svg"),
    ],
)
def test_a_matrix_is_exported(window: MainWindow, tmp_path: Path, title: str, name: str) -> None:
    menu_action(window, "weights", "export_matrix", title).trigger()
    choose(window, tmp_path / name)
    data = (tmp_path / name).read_bytes()
    weights = window.workbench.results(SEVEN)["weights"]
    if name.endswith("npy"):
        assert np.array_equal(np.load(tmp_path / name), weights)
    elif name.endswith("png"):
        assert not QImage.fromData(data).isNull()
    elif name.endswith("svg"):
        assert data.count(b"<rect") == 16
    else:
        assert repr(float(weights[2, 1])).encode() in data


def test_the_picture_dialog_shows_what_will_be_written(window: MainWindow, tmp_path: Path) -> None:
    trigger(window, "export_picture")
    box = dialog(window, PictureDialog)
    size = box._size
    assert box.told.text() == f"{size.width() * 2} × {size.height() * 2} pixels"
    box.scale.setCurrentIndex(3)
    QApplication.processEvents()
    assert box.told.text() == f"{size.width() * 4} × {size.height() * 4} pixels"
    names = [box.what.itemText(at) for at in range(box.what.count())]
    assert names[0] == "the whole tab"
    assert "attention weights" in names
    box.what.setCurrentIndex(names.index("attention weights"))
    box.kind.setCurrentIndex(1)
    box.look.setCurrentIndex(1)
    QApplication.processEvents()
    assert not box.scale.isEnabled()
    box.save()
    choose(window, tmp_path / "w.svg")
    text = (tmp_path / "w.svg").read_text("utf-8")
    assert text.count("<rect") == 16
    assert themes.make("dark").colors.stage in text
    box.close()


# --- filling ---


def fill(window: MainWindow, seed: str) -> None:
    """Fill Wq from the menu with the random numbers of a seed, as it was typed."""
    menu = matrix_menu.build_menu(window.page, "Wq", [(0, 0)])
    next(one for one in menu.findChildren(QAction) if one.text().startswith("random numbers")).trigger()
    box = dialog(window, QInputDialog)
    box.setTextValue(seed)
    box.accept()


@pytest.mark.parametrize("seed", [2**63 - 1, -(2**63), 2**53 + 1, -1, 7])
def test_a_matrix_is_filled_by_any_seed_of_64_bits(window: MainWindow, seed: int) -> None:
    fill(window, f" {seed} ".replace("-", "−"))
    drawn = np.float32(0.5) * JavaRandom(seed).gaussians(8).astype(np.float32)
    assert np.allclose(window.workbench.state(SEVEN).inputs["Wq"].ravel(), drawn, rtol=1e-6)
    assert window.workbench.undo_label == "fill Wq with random"


@pytest.mark.parametrize("seed", ["", "abc", "1.5", str(2**64), "9" * 5000])
def test_what_is_no_seed_is_refused_with_a_sentence(window: MainWindow, seed: str) -> None:
    fill(window, seed)
    assert "seed" in window.status
    assert not window.workbench.edited(SEVEN)
