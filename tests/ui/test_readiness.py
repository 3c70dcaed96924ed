"""Once the first tab stands, what the others need is imported and read, and nothing of it before."""

import subprocess
import sys

PROGRAM = """
import sys
from explorer import app
window = app.make_window()
window.show()
app.application().processEvents()
from explorer.workbench import lessons
def loaded():
    wanted = {"pyqtgraph", "explorer.concepts.cost", "explorer.ui.views.curves", "explorer.models.shapes"}
    return wanted & set(sys.modules)
assert not loaded(), loaded()
assert lessons.load.cache_info().currsize == 1
window.readiness.finish()
assert len(loaded()) == 4, loaded()
assert lessons.load.cache_info().currsize == len(window.workbench.index)
window.readiness.finish()
from explorer.ui import lifetime
lifetime.close_all(window)
"""


def test_a_start_imports_and_reads_what_its_own_tab_needs_and_the_rest_afterwards():
    run = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr


def test_the_rest_comes_by_itself_while_the_window_is_open(qtbot, make_window):
    window = make_window()
    window.show()
    assert not window.readiness.over
    qtbot.waitUntil(lambda: window.readiness.over, timeout=20_000)


def test_a_window_that_is_closed_imports_nothing_more(make_window):
    window = make_window()
    window.show()
    window.close()
    assert window.readiness.over
