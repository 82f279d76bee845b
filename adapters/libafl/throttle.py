"""Lets a fuzzer do a share of its executions, so that a study can show which difference it is able to find.

The fuzzer is stopped for a part of each period of real time. A trial at 50 % therefore has about half of the processor time of a
trial without a throttle, on an idle machine as well as on a busy one.
"""

import os
import signal
import time

# Seconds of real time in which the fuzzer runs once and is stopped once.
PERIOD = 0.4


class Throttle:
    def __init__(self, process, percent):
        self.process, self.percent = process, percent
        self.turn = time.monotonic()

    def step(self):
        """Waits for a short time, and stops the fuzzer meanwhile when its part of the period is over."""
        if self.percent == 100:
            time.sleep(0.05)
            return
        time.sleep(min(0.05, PERIOD * self.percent / 100))
        ran = time.monotonic() - self.turn
        if ran < PERIOD * self.percent / 100:
            return
        os.killpg(self.process.pid, signal.SIGSTOP)
        # As long as the real time in which it ran demands: on a busy machine this process may be late.
        time.sleep(ran * (100 - self.percent) / self.percent)
        os.killpg(self.process.pid, signal.SIGCONT)
        self.turn = time.monotonic()
