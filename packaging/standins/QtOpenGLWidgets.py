"""Takes the place of PySide6.QtOpenGLWidgets in the bundle: pyqtgraph derives a class from its one widget."""

from PySide6.QtWidgets import QWidget


class QOpenGLWidget(QWidget):
    """What pyqtgraph's OpenGL view is derived from; none is ever made here."""

    def __init__(self) -> None:
        raise RuntimeError("this bundle draws without OpenGL")
