"""Attention Explorer. Only the version lives here, so that ``--version`` imports nothing heavy."""

__version__ = "0.1.0"
