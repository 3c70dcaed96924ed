"""Run the tests of this checkout: ``python3 packaging/test.py [PYTEST ARGUMENTS]``.

Uses the ``.venv`` that run.py uses, with what the tests need added to it. Standard library only, and written so that
even Python 2 reads it far enough to say what is wrong.
"""

import sys

if sys.version_info < (3, 11):
    sys.exit("Attention Explorer needs Python 3.11 or newer; this is Python %d.%d." % sys.version_info[:2])

import bootstrap

if __name__ == "__main__":
    sys.exit(bootstrap.test(sys.argv[1:]))
