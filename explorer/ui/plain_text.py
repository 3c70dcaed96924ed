"""What people have written, kept from being taken for markup: names and notes hold `<` and `&` like any other text."""

from __future__ import annotations

import html


def tip(text: str) -> str:
    """Return a tool tip that shows the text as it is: Qt takes one that looks like HTML for HTML."""
    if "<" not in text:
        return text
    lines = "<br>".join(html.escape(line) for line in text.splitlines())
    return f"<p>{lines}</p>"


def caption(text: str) -> str:
    """Return the text for a menu or a button, where a single `&` would mark a key."""
    return text.replace("&", "&&")
