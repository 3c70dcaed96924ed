"""The parts of the bench, by the names that the command line takes. Apart, because the command line imports no Qt."""

from typing import Final

PARTS: Final = ("edit", "memory", "start", "matplotlib", "java", "torch")
