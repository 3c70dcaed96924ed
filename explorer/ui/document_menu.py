"""The window's document: the File menu, the question before anything is lost, files that are dropped, the title.

What a document is, `explorer.workbench.document` says. Here is only the talk about it: every refusal is a sentence over
the window, and what was open stays as it was. Nothing blocks: questions open over the window and go on when answered.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QDir, QObject, QTimer
from PySide6.QtGui import QAction

from explorer.ui import ask, plain_text
from explorer.ui.recovery_bar import RecoveryBar
from explorer.workbench.session import SUFFIX

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtCore import QMimeData
    from PySide6.QtWidgets import QMenu

    from explorer.ui.window import MainWindow
    from explorer.workbench.document import Document
    from explorer.workbench.recovery import Recoverable

SESSIONS: Final = f"Sessions (*{SUFFIX})"
TABLES: Final = "Tables and arrays (*.csv *.tsv *.txt *.npy *.npz)"
ANY: Final = "All files (*)"
#: How long after a change it must have reached the disk; then a failure is told.
WATCH_MS: Final = 1000


class DocumentMenu(QObject):
    """The File menu of a window, and all that it leads to."""

    def __init__(self, window: MainWindow, document: Document) -> None:
        super().__init__(window)
        self.window = window
        self.document = document
        self.bar = RecoveryBar(window.theme)
        self.bar.recovered.connect(self._recover)
        self._settled = self._unasked = False
        self._problem = ""
        self._watch = QTimer(self)
        self._watch.setSingleShot(True)
        self._watch.timeout.connect(self._look_at_recovery)
        self._stop = document.subscribe(lambda _kind: self.changed())
        self._fill(window.file_menu)

    def _fill(self, menu: QMenu) -> None:
        add = self.window.add_action
        add(menu, "new", "&New", self.new, "Ctrl+N")
        add(menu, "open", "&Open…", self.ask_open, "Ctrl+O")
        self.recent_menu = menu.addMenu("Open &recent")
        self.recent_menu.setObjectName("recent")
        self.recent_menu.setToolTipsVisible(True)
        self.recent_menu.aboutToShow.connect(self._fill_recent)
        menu.addSeparator()
        add(menu, "save", "&Save", lambda: self.save(), "Ctrl+S")  # noqa: PLW0108 - the signal says whether it is checked
        add(menu, "save_as", "Save &as…", lambda: self.ask_save(), "Ctrl+Shift+S")  # noqa: PLW0108 - as above
        menu.addSeparator()
        add(menu, "import", "&Import…", self.ask_import, "Ctrl+I")
        add(menu, "paste_special", "Import from the clip&board…", self.paste_special, "Ctrl+Shift+V")

    # --- what is open ---

    def new(self) -> None:
        """Begin again with the lesson's values, once nothing is lost by it."""
        self.settle(self._new)

    def _new(self) -> None:
        self._attempt("New", self.document.new)

    def ask_open(self) -> None:
        """Ask for a file and open it."""
        kinds = [SESSIONS, ANY]
        ask.file_to_open(self.window, "Open", self.take, kinds=kinds, folder=self._folder())

    def open(self, path: str | Path) -> None:
        """Open a session, once nothing is lost by it."""
        place = Path(path).absolute()
        self.settle(lambda: self._open(place))

    def _open(self, path: Path) -> None:
        if self._attempt("Open", lambda: self.document.open(path)):
            self._remember(path)

    def save(self, then: Callable[[], object] | None = None) -> None:
        """Save to the document's file, asking for one where it has none; `then` follows when it is saved."""
        if self.document.path is None:
            self.ask_save(then)
        else:
            self._save(self.document.path, then)

    def ask_save(self, then: Callable[[], object] | None = None) -> None:
        """Ask for a file and save to it."""
        path = self.document.path
        ask.file_to_save(
            self.window,
            "Save as",
            lambda chosen: self._save(Path(chosen), then),
            kinds=[SESSIONS, ANY],
            suffix=SUFFIX.removeprefix("."),
            name=self.document.name or f"attention{SUFFIX}",
            folder=self._folder() if path is None else str(path.parent),
        )

    def _save(self, path: Path, then: Callable[[], object] | None) -> None:
        place = path.absolute()
        if self._attempt("Save", lambda: self.document.save(place)):
            self._remember(place)
            self.window.say(f"saved to {place.name}")
            if callable(then):
                then()

    def settle(self, then: Callable[[], object]) -> None:
        """Do something that ends the open document, after asking where changes would be lost."""
        if self.document.modified:
            ask.save_first(self.window, self.document.name, lambda: self.save(then), then)
        else:
            then()

    # --- files from outside ---

    def dropped(self, data: QMimeData) -> Path | None:
        """Return the file that is being dragged, None when it is none or several."""
        urls = data.urls() if data.hasUrls() else []
        return Path(urls[0].toLocalFile()) if len(urls) == 1 and urls[0].isLocalFile() else None

    def take(self, path: str | Path) -> None:
        """Do with a file what its kind asks for: open a session, give a model's shape to its tab, import arrays."""
        place = Path(path).absolute()
        if place.suffix.lower() == SUFFIX:
            self.open(place)
            return
        taker = self.window.file_drop.taker(place)
        if taker is not None:
            self.window.file_drop.take(place, taker)
            self._remember_folder(place)
            return
        if place.suffix.lower() == ".json":
            self.open(place)
        else:
            self.bring_in(place)

    def ask_import(self) -> None:
        """Ask for a file with arrays and bring it in."""
        ask.file_to_open(self.window, "Import", self.bring_in, kinds=[TABLES, ANY], folder=self._folder())

    def bring_in(self, path: str | Path) -> None:
        """Show what an import of a file would do."""
        from explorer.ui.import_dialog import ImportDialog

        place = Path(path).absolute()
        self._remember_folder(place)
        self._attempt("Import", lambda: ImportDialog.from_file(self.window, self.document, place))

    def paste_special(self) -> None:
        """Show what an import of the clipboard would do."""
        from PySide6.QtGui import QGuiApplication

        from explorer.ui.import_dialog import ImportDialog

        text = QGuiApplication.clipboard().text()
        self._attempt("Import", lambda: ImportDialog.from_text(self.window, self.document, text))

    # --- recovery ---

    def offer_recovery(self) -> None:
        """Offer what dead processes have left."""
        self.bar.offer(self.document.left_behind())

    def _recover(self, what: Recoverable) -> None:
        def recover() -> None:
            if self._attempt("Recover", lambda: self.document.recover(what)):
                self.bar.drop(what)

        self.settle(recover)

    def _look_at_recovery(self) -> None:
        problem = self.document.problem
        if problem and problem != self._problem:
            self.window.say(f"changes are not kept safe: {problem}")
        self._problem = problem

    # --- title and recent files ---

    def changed(self) -> None:
        """Show what the document is called and whether it is modified; recovery is looked at a second later."""
        document, window = self.document, self.window
        concept = window.workbench.concept(window.workbench.current)
        tab = f"{concept.number} {concept.title}"
        name = f"{document.name}[*] — {tab}" if document.name else f"{tab}[*]"
        title = f"{name} — {window.title}"
        if title != window.windowTitle():
            window.setWindowTitle(title)
            window.setWindowFilePath("" if document.path is None else str(document.path))
        window.setWindowModified(document.modified)
        if document.recovers:
            self._watch.start(WATCH_MS)

    def _fill_recent(self) -> None:
        menu = self.recent_menu
        menu.clear()
        for at, path in enumerate(self.window.settings.recent):
            place = Path(path)
            action = QAction(f"&{at}  {plain_text.caption(place.name)}", menu)
            action.setToolTip(plain_text.tip(path))
            action.triggered.connect(lambda _=False, place=place: self._open_recent(place))
            menu.addAction(action)
        if menu.isEmpty():
            menu.addAction("nothing yet").setEnabled(False)
            return
        menu.addSeparator()
        menu.addAction("&Forget these", self._forget_recent)

    def _open_recent(self, path: Path) -> None:
        if os.path.exists(path):  # noqa: PTH110 - Path raises for a name that is too long
            self.open(path)
            return
        settings = self.window.settings
        settings.recent = [one for one in settings.recent if one != str(path)]
        ask.tell(self.window, "Open", f"{path} is no longer there; it is forgotten")

    def _forget_recent(self) -> None:
        self.window.settings.recent = []

    def _remember(self, path: Path) -> None:
        settings = self.window.settings
        settings.recent = [str(path), *settings.recent]
        self._remember_folder(path)

    def _remember_folder(self, path: Path) -> None:
        self.window.settings.folder = str(path.parent)

    def _folder(self) -> str:
        return self.window.settings.folder or QDir.homePath()

    # --- the end ---

    def may_close(self) -> bool:
        """Say whether the window may close now; else ask, and close it when that is answered."""
        if self._settled or not self.document.modified:
            return True
        self.settle(self._close)
        return False

    def _close(self) -> None:
        self._settled = True
        self.window.close()

    def give_up(self) -> None:
        """Let the window close without a question."""
        self._unasked = self.document.modified and not self._settled
        self._settled = True

    def end(self) -> None:
        """Let go of everything; where nobody was asked, what is not saved is kept for the next start."""
        self._watch.stop()
        self._stop()
        self.bar.let_go()
        if self._unasked:
            self.document.leave()
        else:
            self.document.close()

    # --- refusals ---

    def _attempt(self, title: str, change: Callable[[], object]) -> bool:
        """Do something that may be refused; the sentence stands over the window, and nothing has changed."""
        try:
            change()
        except (ValueError, OSError) as error:
            self.window.say(str(error))
            ask.tell(self.window, title, str(error))
            return False
        return True
