"""Runs studies of test generators with catherd, and reads their results.

>>> import catherd
>>> results = catherd.run("experiments/smoke.toml", seeds=3)  # doctest: +SKIP
>>> results.runs()                                            # doctest: +SKIP
>>> results.figure("coverage-boxes")                          # doctest: +SKIP
"""

from . import stats
from ._binary import CatherdError, binary, version
from ._results import Figure, Results, read
from ._run import run

__all__ = ["CatherdError", "Figure", "Results", "binary", "read", "run", "stats", "version"]
