"""Kinds of view beyond matrices, one file a kind. Each defines ``make(view, host, theme)`` and is imported when first shown."""
