r"""From TeX to SVG outlines, with colours left open.

ziamath takes 0.4 s to import, so the formulas of the lessons are typeset when they are written
(``packaging/typeset.py``) and lie in ``resources/formulas``; only a formula that has no such file is typeset while the
app runs. Fills are names, not colours: ``text``, or the role of ``\textcolor{query}{…}``; who draws puts the theme's
colours there. Nothing here imports Qt.
"""

from __future__ import annotations

import html
import re
import warnings
from typing import Final

from explorer.core.checks import QT_TRANSLATE_NOOP, InputError

#: Pixels of one em in the files; every size on screen is relative to it.
EM: Final = 20.0
LINE_GAP: Final = 8.0

NO_FORMULA = QT_TRANSLATE_NOOP("ui", "{tex!r} cannot be typeset: {reason}; TeX such as \\frac{{a}}{{b}} is needed")

_SVG: Final = re.compile(r'<svg[^>]* viewBox="([^"]+)"[^>]*>(.*)</svg>', re.DOTALL)
_TEX: Final = re.compile(r'<svg[^>]* data-tex="([^"]*)"')


def typeset(tex: str) -> str:
    r"""Return a formula as SVG; ``\\`` begins a new line, lines are centred.

    Raises
    ------
    InputError
        When it cannot be typeset.
    """
    lines = [_line(part) for part in tex.split(r"\\")]
    width = max(line[2] for line in lines)
    height = sum(line[3] for line in lines) + LINE_GAP * (len(lines) - 1)
    parts, top = [], 0.0
    for left, above, wide, high, shapes in lines:
        x, y = (width - wide) / 2 - left, top - above
        parts.append(f'<g transform="translate({x:.2f} {y:.2f})">\n{shapes}\n</g>')
        top += high + LINE_GAP
    box = f"{width:.2f} {height:.2f}"
    size = 'width="{}" height="{}"'.format(*box.split())
    body = "\n".join(parts)
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} viewBox="0 0 {box}" data-tex="{html.escape(tex)}">'
    return f"{head}\n{body}\n</svg>\n"


def tex_of(svg: str) -> str:
    """Return the TeX that an SVG of ours was made from, nothing when it is not one of ours."""
    match = _TEX.search(svg)
    return html.unescape(match[1]) if match else ""


def coloured(svg: str, colours: dict[str, str]) -> bytes:
    """Return the SVG with every named fill in its colour; unknown names take that of ``text``."""
    return re.sub(r'fill="([a-z]+)"', lambda match: f'fill="{colours.get(match[1], colours["text"])}"', svg).encode()


def _line(tex: str) -> tuple[float, float, float, float, str]:
    """Return left, top, width, height and the shapes of one line."""
    with warnings.catch_warnings():
        # It finds its font in a way that newer Pythons warn of, which is no business of whoever reads our output.
        warnings.simplefilter("ignore", DeprecationWarning)
        # 0.4 s that only a formula without a file has to pay.
        from ziamath.config import config
        from ziamath.zmath import Latex

    config.svg2 = False  # QtSvg draws nothing of SVG 2
    try:
        drawn: str = Latex(tex.strip(), size=EM).svg()
    except Exception as error:  # noqa: BLE001 - the parser below raises whatever comes to its mind
        reason = str(error) or type(error).__name__
        raise InputError(NO_FORMULA, tex=tex.strip(), reason=reason) from None
    match = _SVG.search(drawn)
    if not match:
        raise InputError(NO_FORMULA, tex=tex.strip(), reason="nothing was drawn")
    left, top, width, height = map(float, match[1].split())
    shapes = match[2].replace('fill="black"', 'fill="text"')
    return left, top, width, height, re.sub(r"\s*(<(?:path|rect)\b)", r"\n\1", shapes).strip()
