"""One matrix for other programs: copied as text or a picture, or written to a file, from its context menu."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from PySide6.QtGui import QGuiApplication

from explorer.ui import ask
from explorer.ui.settings import Settings
from explorer.workbench import atomic, data_export

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtWidgets import QMenu, QWidget

    from explorer.ui.page import Page
    from explorer.workbench.data_export import Labelled

#: Title, ending, and how an array becomes the bytes of a file; what is drawn, `explorer.ui.export` draws.
FILES: Final[tuple[tuple[str, str, Callable[[Labelled], bytes]], ...]] = (
    ("CSV", "csv", lambda one: data_export.csv_file([one])),
    ("NPY", "npy", lambda one: data_export.npy_file(one.array)),
    ("LaTeX", "tex", lambda one: data_export.as_latex(one).encode()),
    ("NumPy literal", "py", lambda one: data_export.as_numpy(one).encode()),
)
PICTURES: Final = (("PNG picture", "png"), ("SVG drawing", "svg"))
TEXTS: Final = (("CSV", "csv"), ("LaTeX", "latex"), ("NumPy literal", "numpy"))
#: How many pixels of a picture that is copied or written from here lie along one of the screen.
SCALE: Final = 2


def add_exports(menu: QMenu, page: Page, name: str) -> None:
    """Add "Copy as" and "Export" for one array of a page."""
    copy = menu.addMenu("Copy all as")
    copy.setObjectName("copy_as")
    for title, form in TEXTS:
        copy.addAction(title, partial(copy_text, page, name, form))
    copy.addAction("Picture", partial(copy_picture, page, name))
    export = menu.addMenu(f"Export {name}")
    export.setObjectName("export_matrix")
    for title, suffix, write in FILES:
        export.addAction(f"{title}…", partial(_ask, page, name, title, suffix, partial(_data, page, name, write)))
    for title, suffix in PICTURES:
        export.addAction(f"{title}…", partial(_ask, page, name, title, suffix, partial(_picture, page, name, suffix)))


def array_of(page: Page, name: str) -> Labelled:
    """Return one of a page's arrays, all heads, with its labels."""
    slug = page.concept.slug
    return data_export.labelled(page.concept, page.workbench.state(slug), page.workbench.results(slug), name)


def copy_text(page: Page, name: str, form: str) -> None:
    """Copy an array as text of one of `data_export.TEXT_FORMATS`."""
    QGuiApplication.clipboard().setText(data_export.as_text(array_of(page, name), form))
    page.said.emit(f"{name} is copied")


def copy_picture(page: Page, name: str) -> None:
    """Copy an array as a picture."""
    from explorer.ui import export

    with export.sheet(page.workbench, page.concept.slug, page.theme, (name,)) as sheet:
        QGuiApplication.clipboard().setImage(export.as_image(sheet, SCALE))
    page.said.emit(f"{name} is copied as a picture")


def _data(page: Page, name: str, write: Callable[[Labelled], bytes]) -> bytes:
    return write(array_of(page, name))


def _picture(page: Page, name: str, suffix: str) -> bytes:
    from explorer.ui import export

    with export.sheet(page.workbench, page.concept.slug, page.theme, (name,)) as sheet:
        return export.as_svg(sheet) if suffix == "svg" else export.as_png(sheet, SCALE)


def _ask(page: Page, name: str, title: str, suffix: str, data: Callable[[], bytes]) -> None:
    ask_and_write(page, f"Export {name}", data, title=title, suffix=suffix, name=f"{name}.{suffix}")


def ask_and_write(parent: QWidget, what: str, data: Callable[[], bytes], *, title: str, suffix: str, name: str) -> None:
    """Ask for a file and write to it; whatever is refused on the way is said in a sentence.

    Parameters
    ----------
    parent : QWidget
        Over which window to ask.
    what : str
        The dialog's title.
    data : callable
        Makes the bytes, once a file is chosen; may raise ValueError with a sentence.
    title, suffix, name : str
        The kind of file, how such files end, and the name that is offered.
    """
    settings = Settings()

    def write(chosen: str) -> None:
        path = Path(chosen)
        try:
            atomic.write(path, data())
        except (ValueError, OSError) as error:
            ask.tell(parent, what, str(error))
            return
        settings.folder = str(path.parent)

    kinds = [f"{title} (*.{suffix})", "All files (*)"]
    ask.file_to_save(parent, what, write, kinds=kinds, suffix=suffix, name=name, folder=settings.folder)
