"""Takes the place of PySide6.QtOpenGL in the bundle: pyqtgraph imports it, and uses it only where it draws with OpenGL.

Ours never does; a call that would is told so.
"""


def __getattr__(name: str) -> object:
    raise AttributeError(f"{name} is not part of this bundle: it draws without OpenGL")
