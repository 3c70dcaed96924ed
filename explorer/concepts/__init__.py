"""One file per tab: what it lets the user edit, what it computes, what it shows. No Qt.

Every module here that defines ``CONCEPT`` is a tab. They are found, never listed, so that a new tab is one file. The
folders hold what tabs share: `shown`, the plain data that views draw; `heads` and `costing`, what more than one file of
a subject needs.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from explorer.concepts.declaration import Concept


@cache
def all_concepts() -> tuple[Concept, ...]:
    """Return every tab in the order of their numbers.

    Raises
    ------
    ValueError
        When two tabs share a number or a slug.
    """
    found: list[Concept] = []
    for module in pkgutil.iter_modules(__path__):
        concept = getattr(importlib.import_module(f"{__name__}.{module.name}"), "CONCEPT", None)
        if isinstance(concept, Concept):
            found.append(concept)
    found.sort(key=lambda one: one.number)
    for key in ("number", "slug"):
        values = [getattr(one, key) for one in found]
        for value in values:
            if values.count(value) > 1:
                raise ValueError(f"two tabs have the {key} {value!r}; each needs its own")
    return tuple(found)


def concept(name: str | int) -> Concept:
    """Return the tab of that slug or number.

    Raises
    ------
    ValueError
        When there is no such tab; the sentence lists those there are.
    """
    wanted = str(name).strip().lower()
    for one in all_concepts():
        if wanted == one.slug or wanted.lstrip("0") == str(one.number):
            return one
    known = ", ".join(f"{one.number} {one.slug}" for one in all_concepts())
    raise ValueError(f"there is no tab called {name!r}; the tabs are {known}")
