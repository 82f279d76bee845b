"""The binary of catherd, and how it is called."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Optional, Sequence


class CatherdError(Exception):
    """A command of catherd failed. The message is what it wrote to standard error."""

    def __init__(self, message: str, code: int) -> None:
        super().__init__(message)
        #: The exit code.
        self.code = code


def binary() -> str:
    """The path of the binary: `CATHERD_BINARY`, the one that was installed with this package, or the
    one in `PATH`.

    Raises FileNotFoundError if there is none.
    """
    named = os.environ.get("CATHERD_BINARY")
    if named:
        return named
    name = "catherd.exe" if sys.platform == "win32" else "catherd"
    user = sysconfig.get_preferred_scheme("user") if hasattr(sysconfig, "get_preferred_scheme") else None
    schemes = [sysconfig.get_path("scripts")]
    if user is not None:
        schemes.append(sysconfig.get_path("scripts", scheme=user))
    # `pip install --target` puts it next to the packages.
    schemes.append(str(Path(__file__).resolve().parents[1] / "bin"))
    for folder in schemes:
        candidate = Path(folder) / name
        if candidate.is_file():
            return str(candidate)
    found = shutil.which(name)
    if found is None:
        raise FileNotFoundError("no binary of catherd: install the package again, or set CATHERD_BINARY")
    return found


def call(arguments: Sequence[str], stdin: Optional[str] = None, codes: Sequence[int] = (0,)) -> str:
    """Executes a command, and returns its standard output.

    Raises CatherdError if the exit code is none of `codes`.
    """
    ended = subprocess.run(
        [binary(), *arguments], input=stdin, capture_output=True, text=True, encoding="utf-8", check=False
    )
    if ended.returncode not in codes:
        raise CatherdError(ended.stderr.strip(), ended.returncode)
    return ended.stdout


def version() -> str:
    """The version of the binary, such as `catherd 0.4.0`."""
    return call(["--version"]).strip()
