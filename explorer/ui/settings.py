"""What is remembered between two starts: theme, scale, panels, the window's place. Typed, checked, never in the way.

A value that is missing, of the wrong kind or out of range is the default; a file that cannot be read or written is as
good as none. Nothing of a document is kept here.
"""

from __future__ import annotations

from PySide6.QtCore import QByteArray, QSettings

from explorer.ui.theme import SCALES, THEMES

NAME = "attention-explorer"
MOST_RECENT = 10


class Settings:
    """The remembered settings, read and written one by one."""

    def __init__(self) -> None:
        self._store = QSettings(QSettings.Format.IniFormat, QSettings.Scope.UserScope, NAME, NAME)
        self._store.setFallbacksEnabled(False)

    def _text(self, key: str) -> str:
        value = self._store.value(key)
        return value if isinstance(value, str) else ""

    def _set(self, key: str, value: object) -> None:
        self._store.setValue(key, value)

    def reset(self) -> None:
        """Forget everything."""
        self._store.clear()
        self._store.sync()

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
        value = self._store.value("recent")
        paths = [value] if isinstance(value, str) else value if isinstance(value, list) else []
        return [path for path in paths if isinstance(path, str) and path][:MOST_RECENT]

    @recent.setter
    def recent(self, paths: list[str]) -> None:
        self._set("recent", list(dict.fromkeys(paths))[:MOST_RECENT])

    @property
    def folder(self) -> str:
        """The folder in which a file was chosen last, empty when unknown."""
        return self._text("folder")

    @folder.setter
    def folder(self, path: str) -> None:
        self._set("folder", path)

    def path(self) -> str:
        """Return the file that holds the settings."""
        return self._store.fileName()

    def sync(self) -> None:
        """Write to disk now."""
        self._store.sync()
