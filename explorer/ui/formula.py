"""The widget that draws a formula: sharp at any scale, in the colours of the theme, read aloud as words."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPixmap
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QSizePolicy, QWidget

from explorer import resources
from explorer.core.checks import InputError
from explorer.ui.typesetting import EM, coloured, tex_of, typeset

if TYPE_CHECKING:
    from explorer.ui.theme import Theme

#: Pixels of one em on screen at 100 %, and how small a formula may become before it is cut off instead.
SIZE = 16.0
LEAST = 0.6


class FormulaWidget(QWidget):
    """A typeset formula, centred; it shrinks somewhat where there is not enough room.

    A formula whose file is missing or made from other TeX is typeset when it is set; one that cannot be typeset at all
    stands there in words.
    """

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("formula")
        self.theme = theme
        self._svg = ""
        self._words = ""
        self._renderer = QSvgRenderer(self)
        self._picture: QPixmap | None = None
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def setFormula(self, tex: str, says: str = "", name: str = "") -> None:
        """Show a formula.

        Parameters
        ----------
        tex : str
            The formula.
        says : str
            The same in words, for the screen reader.
        name : str
            Its file in resources/formulas, without the suffix.
        """
        self._words = says or tex
        self.setAccessibleName(self._words)
        try:
            self._svg = formula_svg(tex, name)
        except InputError:
            self._svg = ""
        self._colour()

    def apply_theme(self, theme: Theme) -> None:
        """Take other colours, another scale."""
        self.theme = theme
        self._colour()

    @property
    def words(self) -> str:
        """Return the formula in words."""
        return self._words

    def _colour(self) -> None:
        if self._svg:
            colours = {**self.theme.colors.role, "text": self.theme.colors.text}
            self._renderer.load(QByteArray(coloured(self._svg, colours)))
        self._picture = None
        self.updateGeometry()
        self.update()

    def _natural(self) -> tuple[float, float]:
        box = self._renderer.viewBoxF()
        factor = self.theme.text_px(SIZE) / EM
        return box.width() * factor, box.height() * factor

    def _factor(self, width: float) -> float:
        """Return how far the formula shrinks to fit a width."""
        wide, _ = self._natural()
        return min(1.0, max(width / wide, LEAST)) if wide and width > 0 else 1.0

    def sizeHint(self) -> QSize:
        """Return the size that the formula takes where there is room."""
        if not self._svg:
            return QSize(self.theme.px(160), self.heightForWidth(self.theme.px(218)))
        wide, high = self._natural()
        return QSize(round(wide) + 1, round(high) + 1)

    def minimumSizeHint(self) -> QSize:
        """Return the size below which nothing shrinks any more."""
        hint = self.sizeHint()
        return QSize(round(hint.width() * LEAST), round(hint.height() * LEAST))

    def hasHeightForWidth(self) -> bool:
        """Say that a formula that shrinks gets lower, too."""
        return True

    def heightForWidth(self, width: int) -> int:
        """Return the height at a width."""
        if not self._svg:
            rect = self.fontMetrics().boundingRect(0, 0, width, 10_000, _WORDS, self._words)
            return rect.height() + 2
        return round(self._natural()[1] * self._factor(width)) + 1

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the formula; it is rendered again only when size or colours changed."""
        painter = QPainter(self)
        if not self._svg:
            painter.setFont(self.theme.font(13))
            painter.setPen(self.theme.color("text"))
            painter.drawText(self.rect(), _WORDS, self._words)
        else:
            painter.drawPixmap(0, 0, self._rendered())
        painter.end()

    def _rendered(self) -> QPixmap:
        ratio = self.devicePixelRatioF()
        size = self.size() * ratio
        if self._picture is None or self._picture.size() != size:
            picture = QPixmap(size)
            picture.setDevicePixelRatio(ratio)
            picture.fill(Qt.GlobalColor.transparent)
            wide, high = (side * self._factor(self.width()) for side in self._natural())
            painter = QPainter(picture)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            left, top = (self.width() - wide) / 2, (self.height() - high) / 2
            self._renderer.render(painter, QRectF(max(left, 0.0), max(top, 0.0), wide, high))
            painter.end()
            self._picture = picture
        return self._picture


_WORDS = int(Qt.AlignmentFlag.AlignCenter) | int(Qt.TextFlag.TextWordWrap)


@lru_cache(maxsize=64)
def formula_svg(tex: str, name: str = "") -> str:
    """Return the SVG of a formula: its file where that is up to date, else typeset now.

    Raises
    ------
    InputError
        When there is no file and the TeX cannot be typeset.
    """
    file = f"{name}.svg"
    if name and file in resources.names("formulas"):
        svg = resources.text("formulas", file)
        if tex_of(svg) == tex:
            return svg
    return typeset(tex)
