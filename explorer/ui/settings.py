"""What is remembered between two starts: theme, scale, panels, the window's place. Typed, checked, never in the way.

A value that is missing, of the wrong kind or out of range is the default; a file that cannot be read or written is as
good as none. Nothing of a document is kept here.

The file is JSON, read by Python and not by QSettings: that one restores any variant which a damaged file spells out,
and may then ask for more memory than there is, which ends the process, or unpickle what stands there, which runs it.
"""

from __future__ import annotations

import contextlib
import json
import os
from pathlib import Path

from PySide6.QtCore import QByteArray, QStandardPaths

from explorer.ui.theme import SCALES, THEMES

NAME = "attention-explorer"
MOST_RECENT = 10
#: Nothing that is remembered comes near; a larger file is not ours.
MOST_BYTES = 1_000_000

#: What is remembered, by file. All windows of a process share it, so that they agree also where nothing can be written.
_known: dict[Path, dict[str, object]] = {}


class Settings:
    """The remembered settings, read and written one by one; another process's are kept when ours are written."""

    def __init__(self) -> None:
        folder = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.GenericConfigLocation)
        self._file = Path(folder, NAME, "settings.json")
        self._values = _known.setdefault(self._file, {})
        self._values.update(_read(self._file))

    def _text(self, key: str) -> str:
        value = self._values.get(key)
        return value if isinstance(value, str) else ""

    def _set(self, key: str, value: object) -> None:
        if self._values.get(key) == value:
            return
        self._values[key] = value
        _write(self._file, {**_read(self._file), key: value})

    def reset(self) -> None:
        """Forget everything."""
        self._values.clear()
        with contextlib.suppress(OSError):
            self._file.unlink()

    @property
    def theme(self) -> str:
        """The theme's name."""
        return self._text("theme") if self._text("theme") in THEMES else "light"

    @theme.setter
    def theme(self, name: str) -> None:
        self._set("theme", name)

    @property
    def percent(self) -> int:
        """The scale in percent."""
        text = self._text("scale")
        return (
            int(text)
            if text.isascii() and text.isdigit() and len(text) < 4 and SCALES[0] <= int(text) <= SCALES[-1]
            else 100
        )

    @percent.setter
    def percent(self, value: int) -> None:
        self._set("scale", str(value))

    @property
    def panel(self) -> bool:
        """Whether the side panel is open."""
        return self._text("panel") != "closed"

    @panel.setter
    def panel(self, opened: bool) -> None:
        self._set("panel", "open" if opened else "closed")

    @property
    def tab(self) -> str:
        """The tab that was in front, empty when unknown."""
        return self._text("tab")

    @tab.setter
    def tab(self, slug: str) -> None:
        self._set("tab", slug)

    @property
    def geometry(self) -> QByteArray:
        """The window's place, as Qt saved it; empty when unknown."""
        return QByteArray.fromBase64(QByteArray(self._text("geometry").encode("ascii", "ignore")))

    @geometry.setter
    def geometry(self, value: QByteArray) -> None:
        self._set("geometry", bytes(value.toBase64().data()).decode())

    @property
    def recent(self) -> list[str]:
        """The sessions that were opened or saved last, the newest first."""
        value = self._values.get("recent")
        paths = [value] if isinstance(value, str) else value if isinstance(value, list) else []
        return [path for path in paths if isinstance(path, str) and path][:MOST_RECENT]

    @recent.setter
    def recent(self, paths: list[str]) -> None:
        self._set("recent", list(dict.fromkeys(paths))[:MOST_RECENT])

    @property
    def folder(self) -> str:
        """The folder in which a file was chosen last, empty when unknown or gone."""
        folder = self._text("folder")
        return folder if os.path.isdir(folder) else ""  # noqa: PTH112 - Path raises for a name that is too long

    @folder.setter
    def folder(self, path: str) -> None:
        self._set("folder", path)

    def path(self) -> Path:
        """Return the file that holds the settings."""
        return self._file


def _read(file: Path) -> dict[str, object]:
    """Return what the file remembers, nothing where it is damaged or no file at all."""
    try:
        # What is neither a file nor missing, such as a pipe, would be waited for without end.
        text = file.read_bytes() if file.is_file() and file.stat().st_size <= MOST_BYTES else b"{}"
        values = json.loads(text)
    except (OSError, ValueError, RecursionError):
        return {}
    return values if isinstance(values, dict) else {}


def _write(file: Path, values: dict[str, object]) -> None:
    """Replace the file in one step, or leave it as it is; a link to it stays a link.

    Not by `atomic.write`, which waits for the disk, writes into a pipe that stands in the file's place, and tells why
    it could not: a setting is not worth any of these.
    """
    with contextlib.suppress(OSError):
        target = Path(os.path.realpath(file))
        target.parent.mkdir(parents=True, exist_ok=True)
        draft = target.with_name(f".{target.name}.{os.getpid()}")
        try:
            draft.write_text(json.dumps(values, indent=1), encoding="ascii")
            draft.replace(target)
        finally:
            draft.unlink(missing_ok=True)
