"""Make the packages of a release from this checkout: ``python3 packaging/build.py [FORMAT]... [--out FOLDER]``.

Standard library only; what it needs besides, it installs into ``build/environment`` from build.lock, and on Debian as
root from Debian's packages.
"""

import sys

if sys.version_info < (3, 11):
    sys.exit("Attention Explorer needs Python 3.11 or newer; this is Python %d.%d." % sys.version_info[:2])

import release

if __name__ == "__main__":
    sys.exit(release.build(sys.argv[1:]))
