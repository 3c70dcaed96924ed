"""Kinds of view beyond matrices, one file a kind, each with ``make(view, host, theme)``; imported when first shown."""
