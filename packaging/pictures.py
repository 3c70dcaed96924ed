"""Draw the README's pictures into packaging/pictures: ``python packaging/pictures.py``.

They are what ``attention-explorer render`` draws, in a palette of 256 colours: the soft edges of letters share theirs
with neighbours that no eye tells apart, and a picture weighs a third. It needs the app's own dependencies.
"""

import os
import struct
import sys
import zlib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QImage

from explorer.ui import render

FOLDER = ROOT / "packaging" / "pictures"
COLOURS = 256
#: Tab, theme, and whether it is drawn as in presentation; the file's name says the same.
PICTURES = (("7", "light", False), ("9", "dark", False), ("12", "light", False), ("7", "dark", True))


def main() -> int:
    """Draw every picture anew and remove those that are none of them."""
    FOLDER.mkdir(exist_ok=True)
    made = []
    for tab, theme, present in PICTURES:
        (path,) = render.render(
            tab=tab, size=(1280, 720), theme=theme, scale=100, present=present, session=None, out=FOLDER
        )
        target = FOLDER / f"{path.stem}-{theme}{'-presentation' if present else ''}.png"
        target.write_bytes(png(*reduced(pixels(path))))
        path.unlink()
        made.append(target)
        print(f"{target.relative_to(ROOT)}  {target.stat().st_size / 1000:.0f} kB")
    for path in FOLDER.glob("*.png"):
        if path not in made:
            path.unlink()
    return 0


def pixels(path: Path) -> NDArray[Any]:
    """Return a picture as an ndarray of shape (height, width) of 0xRRGGBB."""
    image = QImage(str(path)).convertToFormat(QImage.Format.Format_RGB32)
    flat = np.frombuffer(image.constBits(), np.uint32) & 0xFFFFFF
    return flat.reshape(image.height(), image.width()).copy()


def reduced(picture: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return a palette, and for each pixel which of its colours comes nearest.

    Colours are taken in the order of how often they are used, those left out that are near one that was taken; how near
    is as little as the palette allows, so that no colour, however rare, is far from its own.
    """
    found, places, counts = np.unique(picture, return_inverse=True, return_counts=True)
    wanted = channels(found).astype(np.int32)
    near = 0
    while True:
        palette: list[int] = []
        apart = np.full(len(found), np.iinfo(np.int32).max)
        nearest = np.zeros(len(found), np.uint8)
        for i in np.argsort(-counts, kind="stable"):
            if apart[i] > near and len(palette) <= COLOURS:
                distance = ((wanted - wanted[i]) ** 2).sum(axis=1)
                nearest[distance < apart] = len(palette) % COLOURS
                apart = np.minimum(apart, distance)
                palette.append(i)
        if len(palette) <= COLOURS:
            return found[palette], nearest[places].reshape(picture.shape)
        near = near + max(near // 4, 4)


def channels(colours: NDArray[Any]) -> NDArray[Any]:
    """Return red, green and blue in columns."""
    return np.stack([colours >> 16 & 255, colours >> 8 & 255, colours & 255], axis=1).astype(np.uint8)


def png(palette: NDArray[Any], picture: NDArray[Any]) -> bytes:
    """Return a PNG with a palette; its rows are not filtered, which suits flat colours best."""
    height, width = picture.shape
    rows = np.zeros((height, width + 1), np.uint8)
    rows[:, 1:] = picture
    parts = {
        b"IHDR": struct.pack(">2I5B", width, height, 8, 3, 0, 0, 0),
        b"PLTE": channels(palette).tobytes(),
        b"IDAT": zlib.compress(rows.tobytes(), 9),
        b"IEND": b"",
    }
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(name, data) for name, data in parts.items())


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


if __name__ == "__main__":
    sys.exit(main())
