"""Pictures as files: what an SVG holds is found by parsing it; a PNG is as large and as told as it should be."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from PySide6.QtCore import QPoint
from PySide6.QtGui import QImage

from explorer.concepts import all_concepts
from explorer.concepts import declaration as d
from explorer.core.checks import InputError
from explorer.ui import export
from explorer.ui import theme as themes
from explorer.ui.sheet import Sheet, view_names
from explorer.workbench import documents, fingerprint, session
from explorer.workbench.workbench import Workbench

SVG = "{http://www.w3.org/2000/svg}"
SEVEN = "full-attention"
TABS = [pytest.param(one.slug, id=f"{one.number:02d}-{one.slug}") for one in all_concepts()]
ODD = ['a<b & "c"', "50%_off", "it's", "naïve 🙂 cat", "مرحبا بالعالم", "x\u0002y", "]]>", "&amp;"]


@pytest.fixture(autouse=True)
def with_qt(qapp):
    """Every picture needs an application object, and the leak gate looks after what it leaves."""


@contextmanager
def drawn(workbench: Workbench, *names: str, theme: str = "light") -> Iterator[Sheet]:
    with export.sheet(workbench, workbench.current, themes.make(theme), names) as sheet:
        yield sheet


def opened(slug: str = SEVEN) -> Workbench:
    workbench = Workbench()
    workbench.show(slug)
    return workbench


def svg(sheet: Sheet) -> ET.Element:
    return ET.fromstring(export.as_svg(sheet))


def texts(root: ET.Element) -> list[str]:
    return [element.text or "" for element in root.iter(f"{SVG}text")]


def tables(root: ET.Element) -> dict[str, list[ET.Element]]:
    """Return the rectangles of every matrix, by the name of its array."""
    groups = [one for one in root.iter(f"{SVG}g") if one.get("class") == "matrix"]
    return {one.get("data-array", ""): list(one.iter(f"{SVG}rect")) for one in groups}


# --- one rectangle per cell ---


@pytest.mark.parametrize("slug", TABS)
def test_every_cell_of_every_matrix_of_a_tab_is_one_rectangle_and_nothing_else_is(slug):
    workbench = opened(slug)
    with drawn(workbench) as sheet:
        root = svg(sheet)
        shown = {panel.name: panel for panel in sheet.panels()}
    assert tables(root).keys() == shown.keys()
    blank = {name: set(panel.marks.blank) for name, panel in shown.items()}
    for name, rects in tables(root).items():
        cells = shown[name].view.values.shape
        assert len(rects) == cells[0] * cells[1] - len(blank[name]) * cells[1], name
        places = {(rect.get("x"), rect.get("y")) for rect in rects}
        assert len(places) == len(rects), name
    assert len(list(root.iter(f"{SVG}rect"))) == sum(map(len, tables(root).values()))


def test_a_cell_says_its_number_in_full():
    workbench = opened()
    workbench.edit(SEVEN, "x", [(1, 2)], 0.1 + 0.2)
    with drawn(workbench) as sheet:
        root = svg(sheet)
    labels = [rect.findtext(f"{SVG}title") for rect in tables(root)["x"]]
    assert labels[1 * 4 + 2] == "x[1, 2] = 0.30000000000000004"
    weights = workbench.results(SEVEN)["weights"]
    assert tables(root)["weights"][4].findtext(f"{SVG}title") == f"weights[1, 0] = {weights[1, 0]!r}".replace(
        "np.float64(", ""
    ).rstrip(")")


def test_a_masked_cell_is_one_hatched_rectangle():
    with drawn(opened()) as sheet:
        root = svg(sheet)
    fills = [rect.get("fill", "") for rect in tables(root)["weights"]]
    hatched = {at for at, fill in enumerate(fills) if fill.startswith("url(#masked")}
    assert hatched == {row * 4 + column for row in range(4) for column in range(row + 1, 4)}
    patterns = {one.get("id") for one in root.iter(f"{SVG}pattern")}
    assert {fills[at].removeprefix("url(#").rstrip(")") for at in hatched} <= patterns


def test_cells_too_small_for_digits_are_rectangles_as_well():
    workbench = opened()
    workbench.set_size(SEVEN, "n", 16)
    workbench.set_size(SEVEN, "d_model", 16)
    with drawn(workbench) as sheet:
        root = svg(sheet)
    assert len(tables(root)["weights"]) == 256
    assert not list(root.iter(f"{SVG}image"))


def test_what_a_step_has_not_reached_is_not_drawn():
    workbench = opened()
    workbench.set_view(SEVEN, step=0)
    with drawn(workbench) as sheet:
        root = svg(sheet)
    assert not tables(root)["output"]
    assert len(tables(root)["scores"]) == 16


# --- texts ---


def test_digits_names_words_legend_and_shape_are_texts():
    workbench = opened()
    with drawn(workbench) as sheet:
        root = svg(sheet)
    found = texts(root)
    state = workbench.state(SEVEN)
    for text in (
        "7 Full attention",
        f"inputs {fingerprint.of_state(state)}",
        "−2 … 2",
        "0 … 1",
        "masked: may not look",
        "query: who looks ↓",
        "key: who is looked at →",
        "attention weights (4 × 4): row = query: who looks; column = key: who is looked at.",
        "Tokens are rows: q = x @ Wq. Shapes are rows × columns; positions count from 0.",
        "0.383",
        "4 × 2",
        *state.tokens,
    ):
        assert text in found, text
    assert any("causal mask on" in text for text in found)
    description = root.findtext(f"{SVG}desc") or ""
    assert "Wq: 4 × 2" in description
    assert root.findtext(f"{SVG}title") == "7 Full attention"


def test_any_name_survives_whole():
    workbench = opened()
    workbench.set_size(SEVEN, "n", len(ODD))
    for at, name in enumerate(ODD):
        if "\u0002" not in name:
            workbench.rename_token(SEVEN, at, name)
    with drawn(workbench) as sheet:
        data = export.as_svg(sheet)
        found = texts(ET.fromstring(data))
    for name in ODD:
        if "\u0002" not in name:
            assert name in found, name


def test_a_name_that_is_cut_short_beside_a_matrix_stands_below_it_in_full():
    name = 'a <long> name & 50%_of "it" 🙂 مرحبا'
    workbench = opened()
    with drawn(workbench) as sheet:
        assert not any(text.startswith("Tokens:") and "the" in text for text in texts(svg(sheet)))
    workbench.rename_token(SEVEN, 1, name)
    with drawn(workbench) as sheet:
        root = svg(sheet)
    assert any(f"1 \u2068{name}\u2069" in text for text in texts(root))
    assert name in (root.findtext(f"{SVG}desc") or "")


def test_what_xml_cannot_hold_is_replaced_and_the_rest_stays():
    from PySide6.QtCore import QSize

    from explorer.ui.svg import SvgPainter

    painter = SvgPainter(QSize(100, 50), "bell\u0007 & <title>", "a\ud800b")
    painter.drawText(10, 20, "x\u0002y\ufffe")
    root = ET.fromstring(painter.finish())
    assert texts(root) == ["x\ufffdy\ufffd"]
    assert root.findtext(f"{SVG}title") == "bell\ufffd & <title>"
    assert root.findtext(f"{SVG}desc") == "a\ufffdb"


def test_the_texts_of_other_views_are_whole_texts_too():
    workbench = opened("weighted-average")
    workbench.rename_token("weighted-average", 0, "a<b & 🙂")
    with drawn(workbench) as sheet:
        root = svg(sheet)
    views = [one for one in root.iter(f"{SVG}g") if one.get("class") == "view"]
    found = [text for one in views for text in texts(one)]
    assert any("a<b & 🙂" in text for text in found)
    assert "uniform" in found


def test_texts_are_centred_where_the_screen_centres_them():
    with drawn(opened()) as sheet:
        root = svg(sheet)
    group = next(one for one in root.iter(f"{SVG}g") if one.get("data-array") == "output")
    first = next(group.iter(f"{SVG}rect"))
    digits = next(one for one in group.iter(f"{SVG}text") if one.get("text-anchor") == "middle")
    middle = float(first.get("x", "")) + float(first.get("width", "")) / 2
    assert float(digits.get("x", "")) == pytest.approx(middle, abs=0.6)


# --- plots ---


@pytest.mark.parametrize("slug", ["scaling", "cost"])
def test_plots_are_shapes_in_the_drawings_own_pixels_and_cut_off_at_their_frame(slug):
    with drawn(opened(slug)) as sheet:
        root = svg(sheet)
        width, height = sheet.size.width(), sheet.size.height()
    assert not list(root.iter(f"{SVG}image")), "points are shapes, not stamps"
    assert not [one for one in root.iter() if "vector-effect" in one.attrib], "not every viewer can do that"
    clips = {one.get("id"): one for one in root.iter(f"{SVG}clipPath")}
    views = [one for one in root.iter(f"{SVG}g") if one.get("class") == "view"]
    inner = [one for view in views for one in view.iter(f"{SVG}g") if one is not view and one.get("clip-path")]
    assert inner
    for group in [*views, *inner]:
        assert group.get("clip-path", "").removeprefix("url(#").rstrip(")") in clips
    ends = [float(one) for path in root.iter(f"{SVG}path") for one in re.findall(r"-?[\d.]+", path.get("d", ""))]
    assert max(ends) < 20 * max(width, height)


def test_painting_a_plot_into_an_svg_leaves_it_as_it_was():
    with drawn(opened("scaling")) as sheet:
        before = export.as_png(sheet)
        export.as_svg(sheet)
        assert export.as_png(sheet) == before


# --- one view alone ---


def test_one_matrix_alone_has_its_name_legend_and_words():
    with drawn(opened(), "weights") as sheet:
        root = svg(sheet)
        assert [panel.name for panel in sheet.panels()] == ["weights"]
    assert len(list(root.iter(f"{SVG}rect"))) == 16
    assert "7 Full attention: attention weights" in texts(root)
    assert "query: who looks ↓" in texts(root)


@pytest.mark.parametrize("slug", TABS)
def test_every_view_of_a_tab_can_be_drawn_alone(slug):
    with drawn(opened(slug)) as whole:
        canvas, there = whole.page.stage.canvas, whole.leaves()
        alone = [
            view_names(view)[-1]
            for view in d.views(whole.page.concept.layout)
            if view_names(view)
            and getattr(canvas.leaf(view), "alone", True)
            and any(widget is canvas.leaf(view) or canvas.leaf(view).isAncestorOf(widget) for widget in there)
        ]
        assert alone
        for name in alone:
            sheet = Sheet(whole.page, (name,))
            assert len(sheet.leaves()) == 1, name
            ground = whole.theme.color("stage").rgb()
            image = export.as_image(sheet)
            pixels = np.frombuffer(image.constBits(), np.uint32).reshape(image.height(), image.width())
            middle = pixels[sheet.size.height() // 3 : sheet.size.height() // 2]
            assert (middle != ground).any(), name


def test_a_view_that_does_not_exist_is_named():
    with pytest.raises(KeyError, match="nothing"), drawn(opened(), "nothing"):
        pass


# --- PNG ---


@pytest.mark.parametrize("scale", export.SCALES)
def test_a_png_has_so_many_pixels_along_one_of_the_screen(scale):
    with drawn(opened()) as sheet:
        image = QImage.fromData(export.as_png(sheet, scale))
        assert (image.width(), image.height()) == (sheet.size.width() * scale, sheet.size.height() * scale)
        assert "causal mask on" in image.text("Description")
    # As large on paper at every scale.
    assert image.dotsPerMeterX() == pytest.approx(3780 * scale, abs=1)


def test_the_hatch_of_masked_cells_is_as_coarse_at_every_scale():
    lines = []
    with drawn(opened(), "weights") as sheet:
        view = sheet.panels()[0].view
        corner = view.mapTo(sheet.page.stage.canvas, view.visualRect(view.model().index(0, 3)).topLeft())
        middle = corner + QPoint(0, view.look.cell_height // 2)
        ground = sheet.theme.color("cell")
        for scale in (1, 4):
            image = export.as_image(sheet, scale)
            y = (sheet._top + middle.y()) * scale
            left = ((sheet.size.width() - sheet._body.width()) // 2 + middle.x()) * scale
            row = [image.pixelColor(left + x, y) != ground for x in range((view.look.cell_width - 1) * scale)]
            lines.append(sum(after and not before for before, after in pairwise(row)))
    assert lines[0] >= 4
    assert abs(lines[0] - lines[1]) <= 1


@pytest.mark.parametrize("theme", ["light", "dark", "contrast"])
def test_the_picture_is_drawn_and_has_the_themes_ground(theme):
    with drawn(opened(), theme=theme) as sheet:
        image = export.as_image(sheet)
        ground = themes.make(theme).color("stage").rgb()
    assert image.pixel(2, 2) == ground
    pixels = np.frombuffer(image.constBits(), np.uint32).reshape(image.height(), image.width())
    assert 0.05 < (pixels != ground).mean() < 0.95


def test_a_scale_that_does_not_exist_and_a_picture_that_is_too_large_are_refused(monkeypatch):
    with drawn(opened()) as sheet:
        with pytest.raises(InputError, match="1, 2, 3 and 4 can"):
            export.as_image(sheet, 5)
        monkeypatch.setattr(export, "MOST_PIXELS", 1000)
        with pytest.raises(InputError, match="choose a smaller scale, or SVG"):
            export.as_image(sheet, 2)


def test_pixels_of_the_pointer_or_the_cursor_are_in_no_picture(make_window, qtbot):
    window = make_window(SEVEN)
    with drawn(window.workbench) as sheet:
        before = export.as_png(sheet)
    view = window.page.panels("x")[0].view
    view.setFocus()
    view.selectAll()
    window.page.hover("weights", (3, 1))
    with drawn(window.workbench) as sheet:
        assert export.as_png(sheet) == before


# --- files, as the command line asks for them ---


def a_session(path: Path, slug: str = SEVEN) -> Path:
    documents.write_new(path / "talk.attn", tab=slug)
    return path / "talk.attn"


@pytest.mark.parametrize("kind", export.KINDS)
def test_a_file_or_a_folder_may_be_named(tmp_path, kind):
    source = a_session(tmp_path)
    (named,) = export.export(source, kind=kind, out=tmp_path / "new folder" / f"picture.{kind}")
    assert named == tmp_path / "new folder" / f"picture.{kind}"
    (tmp_path / "folder").mkdir()
    (placed,) = export.export(source, kind=kind, out=tmp_path / "folder")
    assert placed == tmp_path / "folder" / f"07-{SEVEN}.{kind}"
    assert placed.read_bytes() == named.read_bytes()


def test_a_picture_shows_the_sessions_numbers_and_step(tmp_path):
    workbench = opened()
    workbench.edit(SEVEN, "x", [(0, 0)], 1.25)
    workbench.set_view(SEVEN, step=0)
    session.write(tmp_path / "mine.attn", documents.session_of(workbench))
    (path,) = export.export(tmp_path / "mine.attn", kind="svg", out=tmp_path / "mine.svg")
    root = ET.parse(path).getroot()
    assert "1.25" in texts(root)
    assert "typed by you" in texts(root)
    assert not tables(root)["output"]


def test_what_cannot_be_read_or_written_is_said_in_a_sentence(tmp_path):
    (tmp_path / "bad.attn").write_text("{")
    with pytest.raises(InputError, match=r"bad\.attn"):
        export.export(tmp_path / "bad.attn", kind="png", out=tmp_path / "x.png")
    source = a_session(tmp_path)
    with pytest.raises(InputError, match="there are png, svg"):
        export.export(source, kind="gif", out=tmp_path / "x.gif")
    (tmp_path / "file").write_text("")
    with pytest.raises(ValueError, match="file"):
        export.export(source, kind="svg", out=tmp_path / "file" / "x.svg")
    assert not (tmp_path / "x.png").exists()


@pytest.mark.parametrize("slug", TABS)
def test_a_picture_invites_nobody_to_drag_or_to_click(slug: str) -> None:
    with drawn(opened(slug)) as sheet:
        said = " ".join([*texts(svg(sheet)), sheet.description]).lower()
    for invitation in ("drag", "click", "type any", "arrow keys", "point at"):
        assert invitation not in said
