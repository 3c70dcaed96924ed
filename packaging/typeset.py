"""Typeset the formulas of the lessons into resources/formulas: ``python packaging/typeset.py``.

Run it after a formula was changed; a test says when it was forgotten. It needs the app's own dependencies.
"""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from explorer.ui.typesetting import typeset
from explorer.workbench import lessons

FOLDER = ROOT / "resources" / "formulas"


def main() -> int:
    """Write the SVG of every lesson's formula where it is not what it should be, and remove those of no lesson."""
    FOLDER.mkdir(exist_ok=True)
    wanted = {}
    for path in sorted((ROOT / "resources" / "lessons" / lessons.LANGUAGE).glob("*.md")):
        formula = lessons.parse(path.read_text(encoding="utf-8"), path.name).formula
        if formula:
            wanted[path.with_suffix(".svg").name] = typeset(formula.tex)
    for name, svg in wanted.items():
        path = FOLDER / name
        if not path.exists() or path.read_text(encoding="utf-8") != svg:
            path.write_text(svg, encoding="utf-8", newline="\n")
            print(f"typeset {name}")
    for path in FOLDER.glob("*.svg"):
        if path.name not in wanted:
            path.unlink()
            print(f"removed {path.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
