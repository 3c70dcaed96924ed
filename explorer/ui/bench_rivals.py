"""The programs that the bench compares with: each runs in a process of its own and prints what it took.

They are text, not imports, because none of what they use belongs to the app: matplotlib, torch and a JDK are measured
where they happen to be installed, and are absent otherwise.
"""

from __future__ import annotations

import json
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Final

TIMEOUT: Final = 240

#: What `explorer --exit-after-first-paint` is held against: the three imports and one plot.
START: Final = """
import sys
from PySide6 import QtWidgets
import numpy, pyqtgraph
app = QtWidgets.QApplication(sys.argv[:1])
plot = pyqtgraph.plot(numpy.arange(100) ** 0.5)
plot.resize(1280, 720)
plot.repaint()
app.processEvents()
plot.close()
"""

GRIDS: Final = """
import json, sys, time, statistics
import numpy
heads, tokens, rounds = map(int, sys.argv[1:4])
random = numpy.random.default_rng(1)
tables = random.random((rounds, heads, tokens, tokens))
columns = min(8, heads)
rows = -(-heads // columns)
"""

MATPLOTLIB: Final = (
    GRIDS
    + """
import matplotlib
matplotlib.use("QtAgg")
from matplotlib.backends.backend_qtagg import FigureCanvasQTAgg
from matplotlib.figure import Figure
from PySide6 import QtWidgets
app = QtWidgets.QApplication(sys.argv[:1])
figure = Figure(figsize=(12.8, 7.2), dpi=100)
canvas = FigureCanvasQTAgg(figure)
images = [figure.add_subplot(rows, columns, h + 1).imshow(tables[0, h], vmin=0, vmax=1) for h in range(heads)]
canvas.resize(1280, 720)
canvas.show()
app.processEvents()
times = []
for table in tables:
    begin = time.perf_counter()
    for image, values in zip(images, table):
        image.set_data(values)
    canvas.draw()
    canvas.repaint()
    app.processEvents()
    times.append(time.perf_counter() - begin)
canvas.close()
print(json.dumps(1000 * statistics.median(times[1:])))
"""
)

PYQTGRAPH: Final = (
    GRIDS
    + """
import pyqtgraph
from PySide6 import QtWidgets
app = QtWidgets.QApplication(sys.argv[:1])
window = pyqtgraph.GraphicsLayoutWidget()
window.resize(1280, 720)
images = []
for h in range(heads):
    box = window.addViewBox(h // columns, h % columns)
    image = pyqtgraph.ImageItem(tables[0, h], levels=(0, 1))
    box.addItem(image)
    images.append(image)
window.show()
app.processEvents()
times = []
for table in tables:
    begin = time.perf_counter()
    for image, values in zip(images, table):
        image.setImage(values, autoLevels=False)
    app.processEvents()
    window.repaint()
    app.processEvents()
    times.append(time.perf_counter() - begin)
window.close()
print(json.dumps(1000 * statistics.median(times[1:])))
"""
)

TORCH: Final = """
import json, math, os, sys, time, statistics
import torch
heads, tokens, width, rounds = map(int, sys.argv[1:5])
torch.set_num_threads(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count())
q, k, v = (torch.randn(heads, tokens, width) for _ in range(3))
mask = torch.full((tokens, tokens), -math.inf).triu(1)
times = []
with torch.no_grad():
    for _ in range(rounds):
        begin = time.perf_counter()
        weights = torch.softmax(q @ k.transpose(-1, -2) / math.sqrt(width) + mask, dim=-1)
        output = weights @ v
        times.append(time.perf_counter() - begin)
print(json.dumps(1000 * statistics.median(times[3:])))
"""

#: Example 5's measurement in Java, from the same stream: seed, pairs, trials, keys, then the head sizes.
JAVA: Final = """
import java.util.Random;
public class Spread {
    private final Random stream;
    private final int width;

    private Spread(Random stream, int width) {
        this.stream = stream;
        this.width = width;
    }

    private double score() {
        double total = 0;
        for (int left = width; left > 0; left--) total += stream.nextGaussian() * stream.nextGaussian();
        return total;
    }

    private double rootMeanSquare(int count) {
        double squares = 0;
        for (int left = count; left > 0; left--) {
            double one = score();
            squares += one * one;
        }
        return Math.sqrt(squares / count);
    }

    private double[] meanLargest(int rounds, int keys) {
        double plain = 0, divided = 0;
        double[] row = new double[keys];
        for (int left = rounds; left > 0; left--) {
            for (int key = 0; key < keys; key++) row[key] = score();
            plain += largest(row, 1);
            divided += largest(row, Math.sqrt(width));
        }
        return new double[] {plain / rounds, divided / rounds};
    }

    private static double largest(double[] row, double by) {
        double top = row[0], powers = 0;
        for (double one : row) top = Math.max(top, one);
        for (double one : row) powers += Math.exp((one - top) / by);
        return 1 / powers;
    }

    public static void main(String[] sizes) {
        Random stream = new Random(Long.parseLong(sizes[0]));
        int pairs = Integer.parseInt(sizes[1]), trials = Integer.parseInt(sizes[2]), keys = Integer.parseInt(sizes[3]);
        for (int i = 4; i < sizes.length; i++) {
            Spread spread = new Spread(stream, Integer.parseInt(sizes[i]));
            double root = spread.rootMeanSquare(pairs);
            double[] means = spread.meanLargest(trials, keys);
            System.out.println(root + " " + means[0] + " " + means[1]);
        }
    }
}
"""


def median_of(program: str, *arguments: int) -> float | None:
    """Run one of the Python programs; return the milliseconds that it prints, None where it cannot run.

    Parameters
    ----------
    program : str
        Python text.
    arguments : int
        Its arguments.
    """
    if getattr(sys, "frozen", False):
        return None  # a bundle has no interpreter for other programs
    command = [sys.executable, "-c", program, *map(str, arguments)]
    try:
        run = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return float(json.loads(run.stdout)) if run.returncode == 0 and run.stdout.strip() else None


def java_command(folder: Path, sizes: list[int]) -> list[str] | None:
    """Compile the Java program into a folder; return the command that runs it, None where there is no JDK."""
    javac, java = shutil.which("javac"), shutil.which("java")
    if javac is None or java is None:
        return None
    source = folder / "Spread.java"
    source.write_text(JAVA, encoding="utf-8")
    compiled = subprocess.run([javac, "-d", str(folder), str(source)], capture_output=True, check=False)
    return [java, "-cp", str(folder), "Spread", *map(str, sizes)] if compiled.returncode == 0 else None


def paired(ours: list[str], theirs: list[str], pairs: int, environment: dict[str, str]) -> dict[str, Any] | None:
    """Run two commands in turn, `pairs` times; return both medians in seconds and the median of the pairs' ratios."""
    import time

    def seconds(command: list[str]) -> float:
        begin = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True, timeout=TIMEOUT, env=environment)
        return time.perf_counter() - begin

    try:
        seconds(ours), seconds(theirs)
        times = [(seconds(ours), seconds(theirs)) for _ in range(pairs)]
    except (OSError, subprocess.SubprocessError):
        return None
    return {
        "ours": statistics.median(a for a, _ in times),
        "theirs": statistics.median(b for _, b in times),
        "ratio": statistics.median(a / b for a, b in times),
    }


def java_ratio(sizes: list[int], ours: list[str], pairs: int, environment: dict[str, str]) -> float | None:
    """Return how long Example 5 takes here, as a share of what Java takes; None where there is no JDK."""
    with tempfile.TemporaryDirectory() as folder:
        command = java_command(Path(folder), sizes)
        result = None if command is None else paired(ours, command, pairs, environment)
    return None if result is None else float(result["ratio"])
