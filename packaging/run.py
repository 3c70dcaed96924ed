"""Open Attention Explorer from this checkout: ``python3 packaging/run.py [ARGUMENTS]``.

The first call makes ``.venv`` beside this folder; later calls go straight on. Standard library only, and written so
that even Python 2 reads it far enough to say what is wrong.
"""

import sys

if sys.version_info < (3, 11):
    sys.exit("Attention Explorer needs Python 3.11 or newer; this is Python %d.%d." % sys.version_info[:2])

import bootstrap

if __name__ == "__main__":
    sys.exit(bootstrap.run(sys.argv[1:]))
