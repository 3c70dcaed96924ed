"""Pictures of tabs as files: PNG at one to four times the size of the screen, SVG with texts and cells.

What a picture shows is `explorer.ui.sheet`'s business. A picture is made from the numbers, never from a window, so that
it is the same with and without a display.
"""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

import shiboken6
from PySide6.QtCore import QBuffer, QIODevice, Qt
from PySide6.QtGui import QImage, QPainter

import explorer
from explorer.core.checks import QT_TRANSLATE_NOOP, InputError
from explorer.ui import lifetime
from explorer.ui import theme as themes
from explorer.ui.page import Page
from explorer.ui.sheet import Sheet
from explorer.ui.svg import SvgPainter
from explorer.workbench import atomic, documents
from explorer.workbench.workbench import Workbench

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

    from explorer.ui.theme import Theme

KINDS: Final = ("png", "svg")
SCALES: Final = (1, 2, 3, 4)
#: A picture of more pixels is refused before anything is allocated: 160 million take 640 MB.
MOST_PIXELS: Final = 160_000_000
#: Pixels per metre of a screen with 96 to the inch, so that a picture at 4× is not four times as large on paper.
PER_METRE: Final = 3780

NO_KIND = QT_TRANSLATE_NOOP("ui", "there is no picture of kind {kind}; there are {known}")
NO_SCALE = QT_TRANSLATE_NOOP("ui", "a picture cannot be drawn at {scale} times its size; 1, 2, 3 and 4 can")
TOO_LARGE = QT_TRANSLATE_NOOP(
    "ui", "the picture would have {width} × {height} pixels, and at most {most} fit; choose a smaller scale, or SVG"
)


def export(
    path: str | os.PathLike[str],
    *,
    kind: str,
    out: str | os.PathLike[str],
    scale: int = 2,
    theme: str = "light",
) -> list[Path]:
    """Draw the front tab of a session file.

    Parameters
    ----------
    path : path
        The session file.
    kind : {"png", "svg"}
        What to write.
    out : path
        The file; a folder gets a file named after the tab.
    scale : int
        How many pixels of a PNG lie along one of the screen, 1 to 4.
    theme : {"light", "dark", "contrast"}
        Its colours.

    Returns
    -------
    list of Path
        The file written.

    Raises
    ------
    InputError
        When the session cannot be read or computed, or the file cannot be written.
    """
    if kind not in KINDS:
        raise InputError(NO_KIND, kind=repr(kind), known=", ".join(KINDS))
    workbench = Workbench()
    documents.open_into(workbench, path)
    tab = workbench.concept(workbench.current)
    target = Path(out)
    if target.is_dir():
        target /= f"{tab.number:02d}-{tab.slug}.{kind}"
    with sheet(workbench, tab.slug, themes.make(theme)) as drawn:
        data = as_svg(drawn) if kind == "svg" else as_png(drawn, scale)
    atomic.make_folder(target.parent)
    atomic.write(target, data)
    return [target]


@contextmanager
def sheet(workbench: Workbench, slug: str, theme: Theme, names: tuple[str, ...] = ()) -> Iterator[Sheet]:
    """Lay a tab, or some of its views, out for a picture; the page behind it goes when the block ends.

    Parameters
    ----------
    workbench : Workbench
        Holds the tab.
    slug : str
        Which tab.
    theme : Theme
        Colours and scale.
    names : tuple of str
        Arrays and other views by name; the whole stage where empty.
    """
    theme = theme._replace(printed=True)
    app = lifetime.application()
    if not app.topLevelWidgets():
        themes.apply(app, theme)
    page = Page(workbench.concept(slug), workbench, theme)
    try:
        # Shown where nobody sees it: views that are hidden neither lay themselves out nor draw.
        page.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen)
        page.resize(theme.px(1280), theme.px(720))
        page.show()
        yield Sheet(page, names)
    finally:
        page.leave()
        shiboken6.delete(page)


def as_svg(drawn: Sheet) -> bytes:
    """Return a sheet as an SVG file."""
    painter = SvgPainter(drawn.size, drawn.title, drawn.description)
    drawn.paint(painter)
    return painter.finish()


def as_image(drawn: Sheet, scale: int = 1) -> QImage:
    """Return a sheet as an image, `scale` pixels along one of the screen.

    Raises
    ------
    InputError
        When there is no such scale, or the image would be too large.
    """
    if scale not in SCALES:
        raise InputError(NO_SCALE, scale=repr(scale))
    size = drawn.size * scale
    if size.width() * size.height() > MOST_PIXELS:
        raise InputError(TOO_LARGE, width=size.width(), height=size.height(), most=f"{MOST_PIXELS:,}")
    image = QImage(size, QImage.Format.Format_RGB32)
    image.fill(drawn.theme.color("stage"))
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.TextAntialiasing)
    painter.scale(scale, scale)
    drawn.paint(painter)
    painter.end()
    image.setDotsPerMeterX(PER_METRE * scale)
    image.setDotsPerMeterY(PER_METRE * scale)
    image.setText("Title", drawn.title)
    image.setText("Description", drawn.description)
    image.setText("Software", f"Attention Explorer {explorer.__version__}")
    return image


def as_png(drawn: Sheet, scale: int = 1) -> bytes:
    """Return a sheet as a PNG file; see `as_image`."""
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    as_image(drawn, scale).save(buffer, "PNG")  # type: ignore[call-overload]
    return bytes(buffer.data().data())
