"""`python -m catherd`: the command line."""

import os
import subprocess
import sys

from ._binary import binary


def main() -> int:
    """Executes the binary with the arguments of this process."""
    command = [binary(), *sys.argv[1:]]
    if os.name == "posix":
        os.execv(command[0], command)
    return subprocess.run(command, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
