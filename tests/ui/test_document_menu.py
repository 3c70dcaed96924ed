"""The window's document as a person meets it: files, questions, drops, recovery, the title, the window's place."""

import json
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPointF, QRect, Qt, QUrl
from PySide6.QtGui import QAction, QDragEnterEvent, QDropEvent, QGuiApplication
from PySide6.QtWidgets import QAbstractButton, QApplication, QMenu, QMessageBox
from pytestqt.qtbot import QtBot

from explorer.ui.import_dialog import ImportDialog
from explorer.ui.settings import Settings
from explorer.ui.window import MainWindow
from explorer.workbench import session
from tests.ui.asking import (
    SEVEN,
    a_session,
    answer,
    cell,
    choose,
    dialog,
    edit,
    nothing_asked,
    told,
    trigger,
)
from tests.ui.conftest import OpenWindow

BUTTON = QMessageBox.StandardButton


# --- the title, and saving ---


def test_the_title_names_file_and_tab_and_says_what_is_not_saved(window: MainWindow, tmp_path: Path) -> None:
    assert window.windowTitle() == "7 Full attention[*] — Attention Explorer"
    assert not window.isWindowModified()
    edit(window)
    assert window.isWindowModified()
    trigger(window, "save")
    choose(window, tmp_path / "talk.attn")
    assert window.windowTitle() == "talk.attn[*] — 7 Full attention — Attention Explorer"
    assert not window.isWindowModified()
    window.bookmarks.add("here")
    assert window.isWindowModified()
    trigger(window, "save")
    assert not window.isWindowModified()
    assert session.read(tmp_path / "talk.attn").bookmarks[0].note == "here"
    window.workbench.show("scaling")
    assert window.windowTitle() == "talk.attn[*] — 5 Scaling — Attention Explorer"


def test_a_step_is_no_change_that_needs_saving(window: MainWindow) -> None:
    window.workbench.set_view(SEVEN, step=1)
    assert not window.isWindowModified()


def test_a_failed_save_says_why_and_keeps_file_and_mark(window: MainWindow, tmp_path: Path) -> None:
    path = a_session(tmp_path / "talk.attn", 3.0)
    window.files.open(path)
    edit(window)
    before = path.read_bytes()
    window.files._save(tmp_path / "no such folder" / "talk.attn", None)
    assert "there is no folder" in told(window)
    assert window.isWindowModified()
    assert window.document.path == path
    assert path.read_bytes() == before


# --- nothing is lost unasked ---


@pytest.mark.parametrize("what", ["new", "open", "close"])
def test_what_would_lose_changes_asks_first_and_cancel_changes_nothing(
    window: MainWindow, tmp_path: Path, what: str
) -> None:
    path = a_session(tmp_path / "other.attn")
    edit(window)
    {"new": window.files.new, "open": lambda: window.files.open(path), "close": window.close}[what]()
    answer(window, BUTTON.Cancel)
    assert cell(window) == 0.625
    assert window.isVisible()
    assert window.isWindowModified()


def test_discarding_goes_on(window: MainWindow, tmp_path: Path) -> None:
    edit(window)
    window.files.open(a_session(tmp_path / "other.attn"))
    answer(window, BUTTON.Discard)
    assert cell(window) == 7.0
    assert window.document.name == "other.attn"
    window.workbench.edit(SEVEN, "x", [(0, 0)], 1.0)
    window.files.new()
    answer(window, BUTTON.Discard)
    assert not window.workbench.edited(SEVEN)
    edit(window)
    window.close()
    answer(window, BUTTON.Discard)
    assert not window.isVisible()
    assert list((tmp_path / "recovery").iterdir()) == [], "who was asked leaves nothing to recover"


def test_saving_first_asks_for_a_file_and_then_goes_on(window: MainWindow, tmp_path: Path) -> None:
    edit(window)
    window.close()
    answer(window, BUTTON.Save)
    assert window.isVisible()
    choose(window, tmp_path / "kept.attn")
    assert not window.isVisible()
    assert session.read(tmp_path / "kept.attn").tabs[SEVEN].state.inputs["x"][0, 0] == 0.625


def test_a_save_that_fails_on_the_way_out_keeps_the_window(window: MainWindow, tmp_path: Path) -> None:
    edit(window)
    window.close()
    answer(window, BUTTON.Save)
    choose(window, tmp_path / "nowhere" / "kept.attn")
    assert "there is no folder" in told(window)
    assert window.isVisible()
    assert window.isWindowModified()


def test_what_is_saved_closes_unasked(window: MainWindow) -> None:
    window.close()
    assert nothing_asked(window)
    assert not window.isVisible()


# --- opening ---


def test_a_file_that_cannot_be_opened_is_told_and_what_is_open_stays(window: MainWindow, tmp_path: Path) -> None:
    edit(window)
    before = window.document.session()
    (tmp_path / "bad.attn").write_text("{")
    window.files.open(tmp_path / "bad.attn")
    answer(window, BUTTON.Discard)
    assert "bad.attn" in told(window)
    assert window.document.session().same_as(before)
    assert window.isWindowModified()


def test_files_opened_last_are_offered_and_survive(window: MainWindow, open_window: OpenWindow, tmp_path: Path) -> None:
    one, two = a_session(tmp_path / "one.attn", 1.0), a_session(tmp_path / "two.attn", 2.0)
    window.files.open(one)
    window.files.open(two)
    assert window.settings.recent == [str(two), str(one)]
    assert Settings().recent == [str(two), str(one)]
    other = open_window()
    assert [action.text().split("  ")[-1] for action in recent(other)[:2]] == ["two.attn", "one.attn"]
    recent(other)[1].trigger()
    assert other.document.path == one
    two.unlink()
    next(action for action in recent(other) if "two" in action.text()).trigger()
    assert "no longer there" in told(other)
    assert other.settings.recent == [str(one)]


def recent(window: MainWindow) -> list[QAction]:
    menu = window.findChild(QMenu, "recent")
    assert menu is not None
    menu.aboutToShow.emit()
    return menu.actions()


@pytest.mark.parametrize("stored", [["a", 3], "one", 7, ["", "x"] * 30])
def test_a_damaged_list_of_recent_files_does_no_harm(own_home: Path, qapp: QApplication, stored: object) -> None:
    Settings().path().parent.mkdir(parents=True)
    Settings().path().write_text(json.dumps({"recent": stored}))
    settings = Settings()
    assert all(isinstance(path, str) and path for path in settings.recent)
    assert len(settings.recent) <= 10


def test_open_asks_for_a_file(window: MainWindow, tmp_path: Path) -> None:
    trigger(window, "open")
    choose(window, a_session(tmp_path / "talk.attn"))
    assert cell(window) == 7.0


# --- dropping ---


def drop(window: MainWindow, *paths: Path) -> bool:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    copy, left = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton
    none = Qt.KeyboardModifier.NoModifier
    enter = QDragEnterEvent(window.rect().center(), copy, data, left, none)
    enter.ignore()
    QApplication.sendEvent(window, enter)
    if enter.isAccepted():
        QApplication.sendEvent(window, QDropEvent(QPointF(window.rect().center()), copy, data, left, none))
        QApplication.processEvents()
    return enter.isAccepted()


def test_a_dropped_session_opens(window: MainWindow, tmp_path: Path) -> None:
    assert drop(window, a_session(tmp_path / "talk.attn"))
    assert cell(window) == 7.0


def test_a_dropped_table_is_previewed(window: MainWindow, tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("1,2,3,4\n5,6,7,8\n9,1,2,3\n4,5,6,7\n")
    assert drop(window, tmp_path / "x.csv")
    assert isinstance(dialog(window, ImportDialog), ImportDialog)
    assert not window.workbench.edited(SEVEN)


def test_a_dropped_model_goes_to_the_tab_that_reads_models(window: MainWindow, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(
        json.dumps({"num_hidden_layers": 4, "hidden_size": 64, "num_attention_heads": 4, "vocab_size": 100})
    )
    assert drop(window, tmp_path / "config.json")
    assert window.workbench.current == "cost"
    assert nothing_asked(window)


def test_several_files_and_text_are_not_taken(window: MainWindow, tmp_path: Path) -> None:
    one = a_session(tmp_path / "one.attn")
    assert not drop(window, one, one)
    data = QMimeData()
    data.setText("1\t2")
    assert window.files.dropped(data) is None
    data.setUrls([QUrl("https://example.org/one.attn")])
    assert window.files.dropped(data) is None


def test_a_dropped_file_of_no_use_is_told(window: MainWindow, tmp_path: Path) -> None:
    (tmp_path / "song.mp3").write_bytes(b"\xff\xfb\x90" * 100)
    drop(window, tmp_path / "song.mp3")
    assert "song.mp3" in told(window)


# --- recovery ---


def left(folder: Path, value: float, document: str | None = None) -> None:
    """Leave what a dead process leaves."""
    folder.mkdir(exist_ok=True)
    name = f"{len(list(folder.iterdir()))}-dead"
    a_session(folder / f"{name}.attn", value)
    (folder / f"{name}.lock").write_text(json.dumps({"document": document}))


def bar_button(window: MainWindow, name: str) -> QAbstractButton:
    button = window.files.bar.findChild(QAbstractButton, name)
    assert button is not None
    return button


def test_what_a_dead_process_left_is_offered_and_taken_over(open_window: OpenWindow, tmp_path: Path) -> None:
    left(tmp_path / "recovery", 7.0, str(tmp_path / "talk.attn"))
    window = open_window()
    bar = window.files.bar
    assert bar.isVisible()
    assert "Changes to talk.attn were left unsaved" in bar.words.text()
    assert not window.workbench.edited(SEVEN), "it is offered, not forced on anybody"
    bar_button(window, "recover").click()
    assert cell(window) == 7.0
    assert window.isWindowModified()
    assert window.document.path == tmp_path / "talk.attn"
    assert not bar.isVisible()


def test_what_is_not_wanted_is_thrown_away_and_what_is_not_wanted_now_stays(
    open_window: OpenWindow, tmp_path: Path
) -> None:
    for value in (1.0, 2.0):
        left(tmp_path / "recovery", value)
    window = open_window()
    assert "1 more after this" in window.files.bar.words.text()
    bar_button(window, "discard").click()
    assert window.files.bar.isVisible()
    assert len(list((tmp_path / "recovery").glob("*.attn"))) == 1
    bar_button(window, "later").click()
    assert not window.files.bar.isVisible()
    window.close()
    assert open_window().files.bar.isVisible()


def test_in_a_show_nobody_is_asked_about_yesterday(open_window: OpenWindow, tmp_path: Path) -> None:
    left(tmp_path / "recovery", 7.0)
    window = open_window()
    window.start_show(full_screen=False)
    assert not window.files.bar.isVisible()
    window.leave_show()
    assert window.files.bar.isVisible()


def test_recovering_over_changes_asks_first(open_window: OpenWindow, tmp_path: Path) -> None:
    left(tmp_path / "recovery", 7.0)
    window = open_window()
    edit(window)
    bar_button(window, "recover").click()
    answer(window, BUTTON.Cancel)
    assert cell(window) == 0.625
    assert window.files.bar.isVisible()


def test_a_recovery_file_that_cannot_be_read_is_told_and_stays(open_window: OpenWindow, tmp_path: Path) -> None:
    left(tmp_path / "recovery", 7.0)
    next((tmp_path / "recovery").glob("*.attn")).write_text("{")
    window = open_window()
    bar_button(window, "recover").click()
    assert "JSON" in told(window)
    assert window.files.bar.isVisible()
    assert len(list((tmp_path / "recovery").glob("*.attn"))) == 1


def test_a_window_that_goes_unasked_leaves_its_changes(open_window: OpenWindow, tmp_path: Path) -> None:
    window = open_window()
    edit(window)
    window.take_down()
    assert not window.isVisible()
    following = open_window()
    assert following.files.bar.isVisible()
    bar_button(following, "recover").click()
    assert cell(following) == 0.625


def test_two_windows_do_not_touch_each_others_recovery(open_window: OpenWindow, tmp_path: Path) -> None:
    one, other = open_window(), open_window()
    edit(one, 1.0)
    edit(other, 2.0)
    for window in (one, other):
        assert window.document._recovery is not None
        assert window.document._recovery.flush()
    assert not other.files.bar.isVisible()
    values = [session.read(path).tabs[SEVEN].state.inputs["x"][0, 0] for path in (tmp_path / "recovery").glob("*.attn")]
    assert sorted(values) == [1.0, 2.0]


def test_changes_that_cannot_be_kept_safe_are_told(qtbot: QtBot, open_window: OpenWindow, tmp_path: Path) -> None:
    (tmp_path / "recovery").write_text("in the way")
    window = open_window()
    edit(window)
    qtbot.waitUntil(lambda: window.status.startswith("changes are not kept safe: "))


# --- the window's place ---


class Screen:
    """A screen of a made-up size."""

    def __init__(self, *place: int) -> None:
        self._place = QRect(*place)

    def availableGeometry(self) -> QRect:
        return self._place


@pytest.mark.parametrize(
    ("screens", "place"),
    [
        ([Screen(0, 0, 1280, 800)], QRect(2200, 100, 900, 600)),
        ([Screen(0, 0, 1280, 800)], QRect(-1500, -900, 900, 600)),
        ([Screen(0, 0, 1280, 800), Screen(1280, 0, 1920, 1080)], QRect(1300, 1070, 900, 600)),
        ([Screen(1920, 0, 1024, 600)], QRect(0, 0, 1900, 1000)),
    ],
)
def test_the_window_comes_back_onto_a_screen_that_exists(
    window: MainWindow, monkeypatch, screens: list[Screen], place: QRect
) -> None:
    window.setGeometry(place)
    window.settings.geometry = window.saveGeometry()
    monkeypatch.setattr(QGuiApplication, "screens", staticmethod(lambda: screens))
    monkeypatch.setattr(window, "restoreGeometry", lambda _saved: window.setGeometry(place) or True)
    window.restore_place()
    shared = [window.geometry().intersected(screen.availableGeometry()) for screen in screens]
    assert any(one.width() >= 100 and one.height() >= 60 for one in shared)
    assert window.width() <= max(screen.availableGeometry().width() for screen in screens)


def test_a_place_that_still_exists_is_taken_again(window: MainWindow) -> None:
    window.setGeometry(40, 30, 700, 500)
    window.settings.geometry = window.saveGeometry()
    window.setGeometry(0, 0, 300, 300)
    window.restore_place()
    assert window.geometry().size() == QRect(40, 30, 700, 500).size()


def test_a_first_window_is_no_larger_than_its_screen(window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    window.settings.reset()
    monkeypatch.setattr(QGuiApplication, "screens", staticmethod(lambda: [Screen(0, 0, 910, 512)]))
    monkeypatch.setattr(QGuiApplication, "platformName", staticmethod(lambda: "xcb"))
    window.restore_place()
    assert window.windowState() & Qt.WindowState.WindowMaximized


def test_a_show_that_was_closed_does_not_come_back_as_a_window_without_a_frame(window: MainWindow) -> None:
    window.setWindowState(Qt.WindowState.WindowFullScreen)
    window.settings.geometry = window.saveGeometry()
    window.setWindowState(Qt.WindowState.WindowNoState)
    window.restore_place()
    assert not window.windowState() & Qt.WindowState.WindowFullScreen


def test_a_damaged_place_is_as_good_as_none(window: MainWindow) -> None:
    window.settings._set("geometry", "nonsense")
    window.restore_place()
    assert (window.width(), window.height()) == (1280, 720)
