"""One file per tab: what it lets the user edit, what it computes, what it shows. No Qt.

Every module here that defines ``CONCEPT`` is a tab. They are found, never listed, so that a new tab is one file. The
folders hold what tabs share: `shown`, the plain data that views draw; `heads` and `costing`, what more than one file of
a subject needs.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from typing import Final, NamedTuple

from explorer import resources
from explorer.concepts.declaration import Concept

#: The language in which titles are declared; the lessons' folder of that name holds a text for every tab.
DECLARED: Final = "en"


class Entry(NamedTuple):
    """A tab's line in the rail: what is known of it before it is opened."""

    number: int
    slug: str
    title: str


@cache
def index() -> tuple[Entry, ...]:
    """Return the lines of all tabs in the order of their numbers.

    A start shows one tab, and importing the others would take longer than that. So the lines are read off the lessons,
    ``NN-slug.md`` beginning with the title, and only a module that has no lesson is imported to see whether it is a
    tab.

    Raises
    ------
    ValueError
        When two tabs share a number or a slug, or a tab is not in the file of its name.
    """
    modules = {module.name for module in pkgutil.iter_modules(__path__) if not module.ispkg}
    found: list[Entry] = []
    for name in resources.names("lessons", DECLARED):
        number, _, slug = name.removesuffix(".md").partition("-")
        if number.isdecimal() and _module(slug) in modules:
            modules.discard(_module(slug))
            with resources.path("lessons", DECLARED, name).open(encoding="utf-8") as lesson:
                found.append(Entry(int(number), slug, lesson.readline().removeprefix("# ").strip()))
    for name in modules:
        one = getattr(importlib.import_module(f"{__name__}.{name}"), "CONCEPT", None)
        if isinstance(one, Concept):
            if _module(one.slug) != name:
                raise ValueError(f"the tab {one.slug} must be declared in {_module(one.slug)}.py, not in {name}.py")
            found.append(Entry(one.number, one.slug, one.title))
    found.sort()
    for key in ("number", "slug"):
        values = [getattr(one, key) for one in found]
        for value in values:
            if values.count(value) > 1:
                raise ValueError(f"two tabs have the {key} {value!r}; each needs its own")
    return tuple(found)


def load(slug: str) -> Concept:
    """Return the tab of that slug, importing it when it is first asked for.

    Raises
    ------
    ValueError
        When its file declares none, or one that is not what its lesson says.
    """
    one = getattr(importlib.import_module(f"{__name__}.{_module(slug)}"), "CONCEPT", None)
    if not isinstance(one, Concept) or Entry(one.number, one.slug, one.title) not in index():
        raise ValueError(f"concepts/{_module(slug)}.py does not declare the tab that its lesson names")
    return one


def all_concepts() -> tuple[Concept, ...]:
    """Return every tab in the order of their numbers."""
    return tuple(load(one.slug) for one in index())


def concept(name: str | int) -> Concept:
    """Return the tab of that slug or number.

    Raises
    ------
    ValueError
        When there is no such tab; the sentence lists those there are.
    """
    wanted = str(name).strip().lower()
    for one in index():
        if wanted == one.slug or wanted.lstrip("0") == str(one.number):
            return load(one.slug)
    known = ", ".join(f"{one.number} {one.slug}" for one in index())
    raise ValueError(f"there is no tab called {name!r}; the tabs are {known}")


def _module(slug: str) -> str:
    return slug.replace("-", "_")
