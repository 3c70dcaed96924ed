"""The entry of ``attention-explorer`` and of ``python -m explorer``."""

import sys

from explorer.cli import main

__all__ = ["main"]

if __name__ == "__main__":
    sys.exit(main())
