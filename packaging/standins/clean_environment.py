"""Runs first in the bundle: gives programs that it starts their own libraries back.

The launcher points the dynamic loader into the bundle; whoever is started from here must not look there. The loader of
this process has read the variable already.
"""

import os

if "LD_LIBRARY_PATH_ORIG" in os.environ:
    os.environ["LD_LIBRARY_PATH"] = os.environ.pop("LD_LIBRARY_PATH_ORIG")
else:
    os.environ.pop("LD_LIBRARY_PATH", None)
