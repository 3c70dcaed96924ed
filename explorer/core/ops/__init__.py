"""Ops with three faces: they compute, they explain one cell, they print themselves as NumPy."""
