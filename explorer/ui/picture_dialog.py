"""The dialog for a picture of the tab in front: what is drawn, in which colours, as what, with a preview."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QSize, Qt, QTimer
from PySide6.QtGui import QGuiApplication, QImage, QPainter, QPaintEvent
from PySide6.QtWidgets import QDialog, QFormLayout, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from explorer.concepts import declaration as d
from explorer.ui import ask, export
from explorer.ui import theme as themes
from explorer.ui.drop_down import DropDown
from explorer.ui.guard import guarded
from explorer.ui.matrix_export import ask_and_write
from explorer.ui.sheet import view_names
from explorer.ui.style import dress

if TYPE_CHECKING:
    from collections.abc import Sequence

    from explorer.ui.page import Page
    from explorer.ui.theme import Theme
    from explorer.ui.window import MainWindow

WHOLE: Final = "the whole tab"


class PictureDialog(QDialog):
    """A picture of the tab in front, on its way to a file or the clipboard."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setObjectName("picture")
        self._window = window
        self._concept = window.page.concept
        self._size = QSize()
        self.setWindowTitle(f"Picture of tab {self._concept.number}, {self._concept.title}")
        self.what = self._chooser("what", [(WHOLE, ()), *self._views()])
        kinds = [("PNG, an image", "png"), ("SVG, a drawing: texts stay texts", "svg")]
        self.kind = self._chooser("kind", kinds)
        self.scale = self._chooser("scale", [(f"{scale}×", scale) for scale in export.SCALES])
        self.scale.setCurrentIndex(1)
        looks = [("light", "light"), ("dark", "dark"), ("high contrast", "contrast")]
        self.look = self._chooser("colours", looks)
        self.look.setCurrentIndex([name for _, name in looks].index(window.theme.name))
        self.preview = _Preview()
        self.told = QLabel()
        self.told.setObjectName("picture_size")
        self.told.setProperty("role", "control")
        self._lay_out(window.theme)
        dress(self, window.theme)
        for chooser in (self.what, self.kind, self.scale, self.look):
            chooser.currentIndexChanged.connect(self._changed)
        self._late = QTimer(self)
        self._late.setSingleShot(True)
        self._late.timeout.connect(self.draw)
        self.resize(min(window.theme.px(980), window.width()), min(window.theme.px(620), window.height()))
        self.draw()
        self.open()

    def _views(self) -> list[tuple[str, tuple[str, ...]]]:
        """Return what can be drawn alone: every array and view that is shown now."""
        page = self._window.page
        shown = [
            view
            for view in d.views(self._concept.layout)
            if not (widget := page.stage.canvas.leaf(view)).isHidden() and getattr(widget, "alone", True)
        ]
        return [(_title(page, name), (name,)) for view in shown for name in view_names(view)]

    def _chooser(self, name: str, items: Sequence[tuple[str, object]]) -> DropDown:
        chooser = DropDown(self._window.theme)
        chooser.setObjectName(f"picture_{name}")
        chooser.setAccessibleName(name)
        for text, value in items:
            chooser.addItem(text, value)
        return chooser

    def _lay_out(self, theme: Theme) -> None:
        px = theme.px
        form = QFormLayout()
        form.setHorizontalSpacing(px(12))
        form.setVerticalSpacing(px(8))
        for text, chooser in (
            ("Show", self.what),
            ("As", self.kind),
            ("Pixels", self.scale),
            ("Colours", self.look),
        ):
            form.addRow(text, chooser)
        save, copy, close = QPushButton("Save…"), QPushButton("Copy"), QPushButton("Close")
        save.setObjectName("picture_save")
        save.setProperty("primary", True)
        save.setDefault(True)
        copy.setObjectName("picture_copy")
        save.clicked.connect(self.save)
        copy.clicked.connect(self.copy)
        close.clicked.connect(self.close)
        side = QVBoxLayout()
        side.setSpacing(px(8))
        side.addLayout(form)
        side.addWidget(self.told)
        side.addStretch(1)
        for button in (save, copy, close):
            side.addWidget(button)
        line = QHBoxLayout(self)
        line.setContentsMargins(px(14), px(14), px(14), px(14))
        line.setSpacing(px(14))
        line.addWidget(self.preview, 1)
        line.addLayout(side)

    # --- what is chosen ---

    def _theme(self) -> Theme:
        return themes.make(self.look.currentData())

    def _names(self) -> tuple[str, ...]:
        return tuple(self.what.currentData() or ())

    def _changed(self) -> None:
        self.scale.setEnabled(self.kind.currentData() == "png")
        self._late.start(0)

    def draw(self) -> None:
        """Draw the preview, as sharp as the screen can show it."""
        ratio = self.devicePixelRatioF()
        with export.sheet(self._window.workbench, self._concept.slug, self._theme(), self._names()) as sheet:
            self._size = sheet.size
            self.preview.show_image(export.as_image(sheet, 2 if ratio > 1 else 1))
        scale = self.scale.currentData() if self.kind.currentData() == "png" else 1
        self.told.setText(f"{self._size.width() * scale} × {self._size.height() * scale} pixels")

    def data(self) -> bytes:
        """Return the picture as a file."""
        with export.sheet(self._window.workbench, self._concept.slug, self._theme(), self._names()) as sheet:
            if self.kind.currentData() == "svg":
                return export.as_svg(sheet)
            return export.as_png(sheet, self.scale.currentData())

    def save(self) -> None:
        """Ask for a file and write the picture."""
        suffix = self.kind.currentData()
        name = "-".join((f"{self._concept.number:02d}", self._concept.slug, *self._names()))
        title = {"png": "PNG picture", "svg": "SVG drawing"}[suffix]
        ask_and_write(self, "Save picture", self.data, title=title, suffix=suffix, name=f"{name}.{suffix}")

    def copy(self) -> None:
        """Copy the picture; pictures on the clipboard are pixels."""
        try:
            with export.sheet(self._window.workbench, self._concept.slug, self._theme(), self._names()) as sheet:
                QGuiApplication.clipboard().setImage(export.as_image(sheet, self.scale.currentData()))
        except ValueError as error:
            ask.tell(self, "Copy", str(error))
            return
        self.told.setText("copied")


def _title(page: Page, name: str) -> str:
    panels = page.panels(name)
    return panels[0].title if panels else name.replace("_", " ")


class _Preview(QWidget):
    """Shows an image as large as there is room, never larger than it is."""

    def __init__(self) -> None:
        super().__init__()
        self._image = QImage()
        self.setObjectName("picture_preview")
        self.setAccessibleName("preview")
        self.setMinimumSize(200, 150)

    def show_image(self, image: QImage) -> None:
        """Show this image."""
        self._image = image
        self.update()

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the image in the middle."""
        if self._image.isNull():
            return
        ratio = self.devicePixelRatioF()
        room = self.size()
        size = (self._image.size() / ratio).scaled(room, Qt.AspectRatioMode.KeepAspectRatio)
        full = self._image.size() / ratio
        if size.width() > full.width():
            size = full
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        scaled = self._image.scaled(
            size * ratio, Qt.AspectRatioMode.KeepAspectRatio, Qt.TransformationMode.SmoothTransformation
        )
        scaled.setDevicePixelRatio(ratio)
        painter.drawImage((room.width() - size.width()) // 2, (room.height() - size.height()) // 2, scaled)
        painter.setPen(self.palette().mid().color())
        painter.drawRect(
            (room.width() - size.width()) // 2,
            (room.height() - size.height()) // 2,
            size.width() - 1,
            size.height() - 1,
        )
        painter.end()
