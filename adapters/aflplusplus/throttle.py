"""Lets a fuzzer do a share of its executions, so that a study can show which difference it is able to find.

The fuzzer is stopped after each slice of its processor time, and this process keeps the core busy in its place until
the fuzzer has had its share of the time of both. Because slices are counted in processor time and the core is never idle, the share is
the same on a busy machine, and a trial has as much processor time as one without a throttle.
"""

import os
import signal
import time
from pathlib import Path

# Seconds of processor time of the fuzzer between two stops; /proc counts hundredths.
SLICE = 0.1
# Seconds between two looks at the processor time of the fuzzer.
INTERVAL = 0.02
TICKS = os.sysconf("SC_CLK_TCK")


class Throttle:
    def __init__(self, process, percent):
        self.process, self.percent = process, percent
        self.used, self.kept = 0.0, 0.0
        if percent < 100 and not Path(f"/proc/self/task/{os.getpid()}/children").exists():
            raise SystemExit("a share below 100 needs the files /proc/PID/task/TID/children of Linux")

    def step(self):
        """Waits for a short time; stops the fuzzer meanwhile if it has had a slice."""
        if self.percent == 100:
            time.sleep(0.05)
            return
        time.sleep(INTERVAL)
        used = processor_seconds(self.process.pid)
        if used < self.used + SLICE:
            return
        self.used = used
        os.killpg(self.process.pid, signal.SIGSTOP)
        due = self.used * (100 - self.percent) / self.percent - self.kept
        start = time.thread_time()
        while (kept := time.thread_time() - start) < due:
            pass
        self.kept += kept
        os.killpg(self.process.pid, signal.SIGCONT)


def processor_seconds(root):
    """The processor time of a process, of its descendants, and of those that have ended."""
    total, waiting = 0, [root]
    while waiting:
        folder = Path("/proc", str(waiting.pop()))
        try:
            # The name of the program, in parentheses, may contain blanks.
            fields = (folder / "stat").read_text(errors="replace").rpartition(")")[2].split()
            total += sum(map(int, fields[11:15]))
            for thread in (folder / "task").iterdir():
                waiting += (thread / "children").read_text().split()
        except OSError:
            # It has ended meanwhile; the next look finds its time in its parent.
            continue
    return total / TICKS
