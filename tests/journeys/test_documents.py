"""A document's life, as a person lives it: prepared, saved, killed, recovered, presented, handed on."""

import os
import random
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QApplication
from pytestqt.qtbot import QtBot

from explorer import app
from explorer.ui.lifetime import close_all
from explorer.ui.window import MainWindow
from explorer.workbench import recovery, session
from tests.journeys.actor import Actor
from tests.ui.asking import a_session, choose, told, trigger
from tests.ui.conftest import settle

SEVEN = "full-attention"
ROOT = Path(__file__).resolve().parents[2]
KINDS = ("png", "svg", "csv", "npz", "py")


@pytest.fixture
def start(qapp: QApplication) -> Iterator[object]:
    """Return a function that starts the app as a user does, and show its window."""
    opened: list[MainWindow] = []

    def make(path: Path | None = None) -> MainWindow:
        window = app.make_window(None if path is None else str(path))
        opened.append(window)
        window.restore_place()
        window.show()
        settle(window)
        return window

    yield make
    for window in opened:
        window.document.leave()
        close_all(window)


def explore(*arguments: object, **environment: str) -> "subprocess.CompletedProcess[str]":
    """Run the app's command line without a display."""
    hidden = {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"}
    seen = {name: value for name, value in os.environ.items() if name not in hidden}
    return subprocess.run(
        [sys.executable, "-m", "explorer", *map(str, arguments)],
        cwd=ROOT,
        env={**seen, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


# --- killed ---

TYPES = """
import time
from PySide6.QtCore import QTimer
from explorer.app import make_window
from explorer.ui.lifetime import application
window = make_window(tab="7")
window.show()
view = window.page.panels("x")[0].view
count = 0
def type_on():
    global count
    count += 1
    assert view.type_text(0, 0, str(count / 1000))
    print(count, time.monotonic(), flush=True)
timer = QTimer()
timer.timeout.connect(type_on)
timer.start(0)
application().exec()
"""


def killed_while_typing(edits: int) -> tuple[list[tuple[int, float]], float]:
    """Kill a window in which somebody types without a pause; return what was typed when, and when it was killed."""
    process = subprocess.Popen([sys.executable, "-c", TYPES], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    typed: list[str] = []
    for line in process.stdout:
        typed.append(line)
        if len(typed) >= edits:
            break
    killed = time.monotonic()
    process.kill()
    typed += process.stdout.read().splitlines()
    process.wait()
    process.stdout.close()
    pairs = [line.split() for line in typed if len(line.split()) == 2]
    return [(int(count), float(when)) for count, when in pairs], killed


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="kill -9")
@pytest.mark.parametrize("moment", [*range(2), *(pytest.param(at, marks=pytest.mark.long) for at in range(2, 50))])
def test_after_kill_9_the_next_start_offers_what_was_typed_up_to_the_last_second(start, moment: int) -> None:
    chance = random.Random(moment)
    typed, killed = killed_while_typing(chance.choice([20, 200, 600]) + chance.randrange(100))
    safe = max((count for count, when in typed if when < killed - 1), default=0)
    window = start()
    bar = window.files.bar
    if not safe and not bar.isVisible():
        return  # it died within its first second
    assert bar.isVisible()
    assert "left unsaved when the app ended" in bar.words.text()
    bar.findChild(QAbstractButton, "recover").click()
    held = round(float(window.workbench.state(SEVEN).inputs["x"][0, 0]) * 1000)
    assert safe <= held <= typed[-1][0] + 1
    assert window.isWindowModified()
    assert window.workbench.current == SEVEN


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="kill -9")
def test_two_windows_that_are_killed_leave_two_documents(start) -> None:
    running = [
        subprocess.Popen([sys.executable, "-c", TYPES], cwd=ROOT, stdout=subprocess.PIPE, text=True) for _ in range(2)
    ]
    folder = recovery.default_folder()
    for process in running:
        assert process.stdout is not None
        for line in process.stdout:
            if len(list(folder.glob("*.attn"))) == 2 and int(line.split()[0]) > 50:
                break
    for process in running:
        process.kill()
        process.wait()
        process.stdout.close()  # type: ignore[union-attr]
    window = start()
    assert "1 more after this" in window.files.bar.words.text()


# --- prepared, handed on, presented ---


def test_a_lecture_is_prepared_saved_and_given(qtbot: QtBot, start, tmp_path: Path) -> None:
    desk = start()
    desk.workbench.show(SEVEN)
    desk.bookmarks.add("the lesson's values")
    view = desk.page.panels("Wq")[0].view
    assert view.type_text(2, 1, "3")
    desk.workbench.set_view(SEVEN, step=0)
    desk.bookmarks.add("one large cell")
    desk.workbench.show("scaling")
    desk.bookmarks.add("why divide")
    trigger(desk, "save")
    choose(desk, tmp_path / "lecture.attn")
    desk.close()
    assert not desk.isVisible()

    hall = start(tmp_path / "lecture.attn")
    assert hall.windowTitle().startswith("lecture.attn")
    assert hall.workbench.current == "scaling"
    hall.start_show(full_screen=False)
    body = hall.centralWidget()
    qtbot.keyClick(body, Qt.Key.Key_PageDown)
    assert hall.workbench.current == SEVEN
    assert hall.workbench.view(SEVEN).step == -1
    qtbot.keyClick(body, Qt.Key.Key_PageDown)
    assert hall.workbench.state(SEVEN).inputs["Wq"][2, 1] == 3.0
    assert hall.workbench.view(SEVEN).step == 0
    qtbot.keyClick(body, Qt.Key.Key_PageDown)
    assert hall.workbench.current == "scaling"
    qtbot.keyClick(body, Qt.Key.Key_PageUp)
    assert hall.workbench.current == SEVEN
    hall.leave_show()


def test_what_a_window_saves_the_command_line_draws_and_computes(start, tmp_path: Path) -> None:
    window = start()
    window.workbench.show(SEVEN)
    assert window.page.panels("x")[0].view.type_text(0, 0, "1.25")
    trigger(window, "save")
    choose(window, tmp_path / "mine.attn")
    for kind in KINDS:
        done = explore("export", tmp_path / "mine.attn", "--to", kind, "--out", tmp_path / f"mine.{kind}")
        assert (done.returncode, done.stderr) == (0, ""), kind
        assert done.stdout == f"{tmp_path / f'mine.{kind}'}\n"
    assert ">1.25<" in (tmp_path / "mine.svg").read_text("utf-8")
    script = tmp_path / "mine.py"
    run = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    script.write_text(re.sub(r"\b1\.25\b", "1.5", script.read_text("utf-8"), count=1), "utf-8")
    assert subprocess.run([sys.executable, script], capture_output=True, check=False).returncode != 0


def test_a_session_made_on_the_command_line_opens_in_the_window(start, tmp_path: Path) -> None:
    made = explore("new", "--tab", SEVEN, "--set", "x=[[1,0,0,0],[0,1,0,0]]", "--out", tmp_path / "new.attn")
    assert (made.returncode, made.stderr) == (0, "")
    window = start(tmp_path / "new.attn")
    assert window.page.panels("x")[0].view.values.tolist() == [[1, 0, 0, 0], [0, 1, 0, 0]]
    assert not window.isWindowModified()


# --- from the command line into the window ---


def test_a_file_named_on_the_command_line_opens(tmp_path: Path) -> None:
    done = explore(a_session(tmp_path / "talk.attn"), "--exit-after-first-paint")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize(
    ("content", "said"),
    [(None, "there.attn"), (b"{", "there.attn: line 1, column 2 is not JSON"), (b"\x00\xff" * 50, "there.attn")],
)
def test_one_that_cannot_be_read_ends_it_with_a_sentence(tmp_path: Path, content: bytes | None, said: str) -> None:
    path = tmp_path / "there.attn"
    if content is not None:
        path.write_bytes(content)
    done = explore(path, "--exit-after-first-paint")
    assert done.returncode == 1
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1
    assert said in done.stderr


def test_the_same_file_chosen_in_the_window_leaves_it_as_it_was(start, tmp_path: Path) -> None:
    window = start()
    before = window.document.session()
    (tmp_path / "there.attn").write_bytes(b"{")
    window.files.take(tmp_path / "there.attn")
    assert "there.attn: line 1, column 2 is not JSON" in told(window)
    assert window.document.session().same_as(before)


# --- whatever was done, it comes back ---


@pytest.mark.parametrize("seed", range(3))
def test_after_any_actions_undo_goes_to_the_start_redo_to_the_end_and_a_file_holds_it_all(
    start, tmp_path: Path, seed: int
) -> None:
    window = start()
    beginning = window.document.session()
    actor = Actor(window, seed)
    for _ in range(120):
        actor.act()
    if window.theme.present:
        window.leave_show()
    window.workbench.end()
    ending = window.document.session()
    window.document.save(tmp_path / "all.attn")
    again = start(tmp_path / "all.attn")
    assert again.document.session().same_as(ending)
    steps = 0
    while window.workbench.undo() is not None:
        steps += 1
    for slug, snapshot in window.document.session().tabs.items():
        assert snapshot.state.same_as(beginning.tabs[slug].state), slug
    for _ in range(steps):
        assert window.workbench.redo() is not None
    for slug, snapshot in window.document.session().tabs.items():
        assert snapshot.state.same_as(ending.tabs[slug].state), slug


def test_what_was_set_is_set_at_the_next_start(start, tmp_path: Path) -> None:
    window = start()
    window.set_theme_name("dark")
    window.set_scale(125)
    window.toggle_panel()
    window.workbench.show("cost")
    window.files.open(a_session(tmp_path / "talk.attn"))
    window.workbench.show("cost")
    shown = window.panels.isVisible()
    window.setGeometry(20, 40, 740, 600)
    window.close()
    following = start()
    assert (following.theme.name, following.theme.percent) == ("dark", 125)
    assert following.panels.isVisible() == shown
    assert following.workbench.current == "cost"
    assert following.size().toTuple() == (740, 600)
    assert following.settings.recent == [str(tmp_path / "talk.attn")]
    assert not following.isWindowModified()
    assert following.document.session().same_as(session.Session("cost", session.fresh().tabs)), (
        "a document is not a setting"
    )
