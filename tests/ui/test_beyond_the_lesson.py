"""Pages with more tokens, heads and numbers than the lesson has: everything of a tab is seen at once all the same."""

import pytest

from explorer.concepts import all_concepts
from tests.ui.conftest import MakeWindow, settle
from tests.ui.layout import faults

#: Sizes that make tables larger; those of tab 5 count trials.
GROWING = ("n", "n_head", "d_model", "d_head", "d_v")


def grown() -> list[tuple[str, dict[str, int]]]:
    """Return the tabs with sizes beyond the lesson's: more tokens, many, and the most of everything."""
    found = []
    for concept in all_concepts():
        most = {size.name: size.high for size in concept.sizes if size.name in GROWING and size.label}
        if "n" in most:
            heads = {"n_head": 8} if "n_head" in most else {}
            found += [(concept.slug, {"n": 16, **heads}), (concept.slug, {"n": most["n"]}), (concept.slug, most)]
    return found


@pytest.mark.parametrize(("slug", "sizes"), grown(), ids=str)
def test_everything_is_seen_at_once_at_any_size(make_window: MakeWindow, slug: str, sizes: dict[str, int]) -> None:
    window = make_window(slug)
    assert window.panels.isVisible()
    window.resize(1280, 720)
    for name, value in sizes.items():
        window.workbench.set_size(slug, name, value)
    settle(window)
    stage = window.page.stage
    assert (stage.horizontalScrollBar().maximum(), stage.verticalScrollBar().maximum()) == (0, 0)
    assert faults(window) == []
