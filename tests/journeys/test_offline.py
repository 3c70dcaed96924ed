"""The application never uses the network: everything is tried while any attempt would be noticed.

Two nets, because Qt's own code does not pass through Python: an audit hook sees every socket that Python touches, and
on Linux the kernel kills the process at the first internet socket that anything in it asks for.
"""

import json
import platform
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

NETS = """
import ctypes, json, platform, struct, sys

attempts = []

def watch(event, arguments):
    if event.startswith(("socket.", "urllib.", "http.", "ftplib.", "smtplib.")):
        attempts.append(event)
        raise PermissionError(f"{event}: the network is out of bounds")

def forbid_internet_sockets():
    # seccomp: socket(AF_INET | AF_INET6 | AF_PACKET, ...) kills the process, everything else is allowed.
    system_call, offsets = {"x86_64": (41, (0xC000003E, 0, 4, 16)), "aarch64": (198, (0xC00000B7, 0, 4, 16))}[
        platform.machine()
    ]
    architecture, number_at, architecture_at, domain_at = offsets
    load, jump, end = 0x20, 0x15, 0x06
    program = [
        (load, 0, 0, architecture_at),
        (jump, 0, 6, architecture),
        (load, 0, 0, number_at),
        (jump, 0, 4, system_call),
        (load, 0, 0, domain_at),
        (jump, 3, 0, 2),
        (jump, 2, 0, 10),
        (jump, 1, 0, 17),
        (end, 0, 0, 0x7FFF0000),
        (end, 0, 0, 0x80000000),
    ]
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *line) for line in program))
    head = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(program), ctypes.addressof(code)))
    libc = ctypes.CDLL(None, use_errno=True)
    no_new_privileges, set_seccomp, filtered = 38, 22, 2
    assert libc.prctl(no_new_privileges, 1, 0, 0, 0) == 0
    assert libc.prctl(set_seccomp, filtered, head, 0, 0) == 0, ctypes.get_errno()

if sys.argv[1] == "kernel":
    forbid_internet_sockets()
if sys.argv[2] == "watched":
    sys.addaudithook(watch)
"""
EVERYTHING = """
from explorer.cli import main

folder = sys.argv[3]
session = folder + "/one.attn"
runs = [["--smoke"], ["--exit-after-first-paint"], ["new", "--tab", "7", "--out", session], ["compute", session]]
runs += [["numbers", str(n)] for n in range(1, 14) if n != 5]
for kind in ("png", "svg", "csv", "npz", "py"):
    runs.append(["export", session, "--to", kind, "--out", folder + "/one." + kind])
runs.append(["render", "--tab", "12", "--out", folder])
runs.append(["cost", "custom", "--n-layer", "2", "--n-head-kv", "2", "--head-dim", "8"])
failed = [run for run in runs if main(run)]
print(json.dumps({"attempts": attempts, "failed": failed, "runs": len(runs)}))
"""
PYTHON_TRIES = "import socket; socket.create_connection(('127.0.0.1', 9), timeout=1)"
ANYTHING_TRIES = "ctypes.CDLL(None).socket(int(sys.argv[3]), 1, 0); print('not noticed')"

linux = pytest.mark.skipif(
    sys.platform != "linux" or platform.machine() not in {"x86_64", "aarch64"}, reason="the kernel's net is Linux's"
)


def run(text: str, *arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-c", NETS + text, *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=900,
    )


def test_an_attempt_of_python_would_be_noticed():
    done = run(PYTHON_TRIES, "no kernel", "watched")
    assert done.returncode == 1
    assert "the network is out of bounds" in done.stderr


@linux
@pytest.mark.parametrize("family", ["2", "10", "17"])
def test_an_attempt_of_anything_else_would_be_noticed(family):
    done = run(ANYTHING_TRIES, "kernel", "unwatched", family)
    assert done.returncode == -31  # SIGSYS
    assert "not noticed" not in done.stdout


@linux
def test_sockets_to_this_machine_s_own_desktop_are_no_network():
    assert run(ANYTHING_TRIES, "kernel", "unwatched", "1").stdout == "not noticed\n"


@pytest.mark.slow
def test_the_whole_application_makes_no_attempt(tmp_path):
    kernel = "kernel" if sys.platform == "linux" and platform.machine() in {"x86_64", "aarch64"} else "no kernel"
    done = run(EVERYTHING, kernel, "watched", str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.splitlines()[-1]) == {"attempts": [], "failed": [], "runs": 23}
