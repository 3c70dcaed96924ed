"""Draw the application's icon in the sizes that desktops ask for: ``icons.py FOLDER``, with the build's Python.

The folder then looks like ``/usr/share/icons``: PNG files in hicolor/WxH/apps, and the drawing itself as scalable.
"""

import os
import shutil
import sys
from pathlib import Path

os.environ["QT_QPA_PLATFORM"] = "offscreen"

from PySide6.QtCore import QRectF
from PySide6.QtGui import QGuiApplication, QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

DRAWING = Path(__file__).resolve().parent.parent / "resources" / "icons" / "attention-explorer.svg"
SIZES = (16, 22, 24, 32, 48, 64, 96, 128, 256, 512)


def draw(folder: Path) -> None:
    """Write all sizes."""
    application = QGuiApplication(["icons"])
    renderer = QSvgRenderer(str(DRAWING))
    for size in SIZES:
        image = QImage(size, size, QImage.Format.Format_ARGB32)
        image.fill(0)
        painter = QPainter(image)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        renderer.render(painter, QRectF(0, 0, size, size))
        painter.end()
        target = folder / "hicolor" / f"{size}x{size}" / "apps" / f"{DRAWING.stem}.png"
        target.parent.mkdir(parents=True)
        if not image.save(str(target)):
            raise OSError(f"{target} cannot be written")
    target = folder / "hicolor" / "scalable" / "apps" / DRAWING.name
    target.parent.mkdir(parents=True)
    shutil.copy(DRAWING, target)
    del renderer, application


if __name__ == "__main__":
    draw(Path(sys.argv[1]))
