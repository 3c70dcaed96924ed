"""Formulas: typeset once, up to date, drawn in the colours of the theme at any scale."""

import subprocess
import sys

import pytest
from PySide6.QtGui import QColor, QImage

from explorer import resources
from explorer.core.checks import InputError
from explorer.ui import theme as themes
from explorer.ui.formula import FormulaWidget, formula_svg
from explorer.ui.typesetting import coloured, tex_of, typeset
from explorer.workbench import lessons

FILES = resources.names("lessons", "en")
REMEDY = "run: python packaging/typeset.py"


def formula_of(file):
    return lessons.parse(resources.text("lessons", "en", file), file).formula


@pytest.mark.parametrize("file", FILES)
def test_every_picture_is_that_of_its_lesson(file):
    formula = formula_of(file)
    svg = resources.text("formulas", file.replace(".md", ".svg"))
    assert tex_of(svg) == formula.tex, REMEDY
    assert svg == typeset(formula.tex), REMEDY


def test_no_picture_is_left_over():
    assert {name.removesuffix(".svg") for name in resources.names("formulas")} == {
        name.removesuffix(".md") for name in FILES
    }, REMEDY


def test_a_formula_with_a_file_does_not_import_the_typesetter():
    code = (
        "import sys; from explorer.ui.formula import formula_svg; from explorer.workbench import lessons;"
        "lesson = lessons.load(7, 'full-attention'); assert formula_svg(lesson.formula.tex, lesson.name);"
        "assert 'ziamath' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_formula_whose_file_is_out_of_date_is_typeset_now():
    assert tex_of(formula_svg("a+b", "07-full-attention")) == "a+b"


@pytest.mark.parametrize("tex", ["", r"\frac{a}", "a_b_c", "}{", r"\left("])
def test_what_cannot_be_typeset_is_refused_in_one_sentence(tex):
    with pytest.raises(InputError, match=r"cannot be typeset: .*is needed"):
        typeset(tex)


def test_tex_survives_the_way_through_the_file():
    tex = r"a<b \\ x'\ne\text{\"}"
    assert tex_of(typeset(tex)) == tex


def colours_in(image):
    return {
        QColor(image.pixel(x, y)).name()
        for x in range(image.width())
        for y in range(image.height())
        if QColor(image.pixelColor(x, y)).alpha() == 255
    }


def drawn(widget):
    widget.ensurePolished()
    image = widget.grab().toImage()
    return image.convertToFormat(QImage.Format.Format_RGB32)


@pytest.mark.parametrize("name", ["light", "dark", "contrast"])
def test_roles_and_text_have_the_colours_of_the_theme(qtbot, name):
    theme = themes.make(name, 300)
    widget = FormulaWidget(theme)
    qtbot.addWidget(widget)
    widget.setFormula(r"\textcolor{query}{Q}\textcolor{key}{K}\textcolor{value}{V}\sqrt{d}", "Q K V root d")
    widget.resize(widget.sizeHint())
    found = colours_in(drawn(widget))
    for role in ("query", "key", "value"):
        assert theme.colors.role[role] in found
    assert theme.colors.text in found


def test_another_theme_repaints_it(qtbot):
    light, dark = themes.make("light"), themes.make("dark")
    widget = FormulaWidget(light)
    qtbot.addWidget(widget)
    widget.setFormula("x")
    widget.resize(widget.sizeHint())
    before = drawn(widget)
    widget.apply_theme(dark)
    assert drawn(widget) != before
    widget.apply_theme(light)
    assert drawn(widget) == before


def test_it_grows_with_the_scale_and_shrinks_to_fit(qtbot):
    widget = FormulaWidget(themes.make("light", 100))
    qtbot.addWidget(widget)
    widget.setFormula(r"\frac{a+b+c+d}{e}", "a to d over e")
    small, height = widget.sizeHint(), widget.heightForWidth(widget.sizeHint().width())
    assert widget.heightForWidth(small.width() * 2) == height
    assert widget.heightForWidth(round(small.width() * 0.8)) < height
    widget.apply_theme(themes.make("light", 200))
    assert widget.sizeHint().width() == pytest.approx(2 * small.width(), abs=2)


def test_it_is_read_aloud_as_words(qtbot):
    widget = FormulaWidget(themes.make("light"))
    qtbot.addWidget(widget)
    widget.setFormula(r"\frac{a}{b}", "a over b")
    assert widget.accessibleName() == "a over b"


def test_a_formula_that_cannot_be_typeset_stands_there_in_words(qtbot):
    widget = FormulaWidget(themes.make("light"))
    qtbot.addWidget(widget)
    widget.setFormula(r"\frac{a}", "a over nothing")
    widget.resize(200, widget.heightForWidth(200))
    assert len(colours_in(drawn(widget))) > 1
    assert widget.accessibleName() == "a over nothing"


def test_names_that_are_no_role_take_the_colour_of_the_text():
    assert coloured('<path fill="strange"/>', {"text": "#123456"}) == b'<path fill="#123456"/>'
