"""Try the packages of a release as their users meet them: ``python3 packaging/verify.py [FORMAT]... [--from FOLDER]``.

Standard library only. What is tried, and on what, is in ``trial.py``.
"""

import sys

if sys.version_info < (3, 11):
    sys.exit("Attention Explorer needs Python 3.11 or newer; this is Python %d.%d." % sys.version_info[:2])

import trial

if __name__ == "__main__":
    sys.exit(trial.verify(sys.argv[1:]))
