"""Qt: the window, the page built from a concept, the widgets, export of pictures."""
