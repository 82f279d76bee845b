"""A trial of a fuzzer: starts it, takes snapshots while it runs, and measures what it leaves.

A fuzzer is a class with `start(request, program)`, which starts the process, `inputs()` and `crashes()`, which list
`path` and `wall_ms`, and `numbers()`, the metrics and the count of executions.
"""

import gzip
import hashlib
import io
import json
import os
import signal
import subprocess
import tarfile
import threading
import time
from pathlib import Path

import targets
import throttle

MAX_NAMES = 150
MAX_CRASHES = 2000


def seed(request):
    """The seed of the fuzzer: each series of trials has its own. Numbers that follow each other are spread, because trials of
    AFL++ with seeds such as 1 to 10 resemble each other."""
    name = f"{request['parameters']['series']}/{request['seed']}"
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:4], "big") % 2**31


class Trial:
    def __init__(self, fuzzer, request, version):
        self.fuzzer, self.request, self.version = fuzzer, request, version
        self.asked_to_end = False
        self.apart = request.get("measure") == "apart"
        if not self.apart and not request.get("measurer"):
            raise SystemExit("the study names no measurer: set measurer to adapters/llvm-coverage")

    def unmeasured(self, elapsed_ms):
        """The result of a study that measures apart: without criteria, with all inputs as one archive."""
        end = self.request["budget"]["wall_ms"]
        inputs, crashes = (
            [one for one in found if one["wall_ms"] <= end] for found in (self.fuzzer.inputs(), self.fuzzer.crashes())
        )
        executions, metrics = self.fuzzer.numbers()
        metrics = {**metrics, "executions": executions, "inputs": len(inputs), "crashes": len(crashes)}
        if len(crashes) > MAX_CRASHES:
            metrics["crashes_left_out"] = len(crashes) - MAX_CRASHES
        return {
            "contract": 1,
            "tool": {"name": self.fuzzer.name, "version": self.version},
            "artifact": archive(inputs, crashes),
            "times": {"search_ms": elapsed_ms},
            "metrics": metrics,
            "files": {"logs": ["fuzzer.log"] if Path("fuzzer.log").exists() else []},
        }

    def measured(self, buckets):
        """Measures what the fuzzer has left within its budget."""
        measurer = self.request["measurer"]
        end = self.request["budget"]["wall_ms"]

        def within(found):
            return [one for one in found if one["wall_ms"] <= end]

        listed = {
            "project": self.request["project"], "environment": measurer["environment"],
            "inputs": within(self.fuzzer.inputs()), "crashes": within(self.fuzzer.crashes()), "buckets": buckets, "out": "measured.json",
        }
        Path("measure.json").write_text(json.dumps(listed))
        # In a session of its own, so that a request to end reaches this process only.
        subprocess.run([f"{measurer['folder']}/run", "measure", "measure.json"], check=True, start_new_session=True)
        return json.loads(Path("measured.json").read_text()), listed

    def result(self, elapsed_ms, buckets):
        answer, listed = self.measured(buckets)
        executions, metrics = self.fuzzer.numbers()
        metrics = {**metrics, "executions": executions, "inputs": len(listed["inputs"]), "crashes": len(listed["crashes"])}
        if answer["crashes_left_out"]:
            metrics["crashes_left_out"] = answer["crashes_left_out"]
        binary = []
        for fault in answer["faults"]:
            # The identity is the name, so that a row of a fault leads to its input.
            name = "".join(c if c.isalnum() or c in "-_." else "_" for c in fault["name"])[:MAX_NAMES]
            kept = Path("faults", name)
            kept.parent.mkdir(exist_ok=True)
            kept.write_bytes(Path(fault["path"]).read_bytes())
            binary.append(str(kept))
        if self.request["parameters"]["corpus"]:
            binary.append(archive(listed["inputs"]))
        logs = ["fuzzer.log"] if Path("fuzzer.log").exists() else []
        return {
            "contract": 1,
            "tool": {"name": self.fuzzer.name, "version": self.version},
            "criteria": answer["criteria"],
            "goal_names": answer["goal_names"],
            "timeline": answer["timeline"],
            "timelines": answer.get("timelines", {}),
            "work": {},
            "faults": [{"name": one["name"], "wall_ms": one["wall_ms"]} for one in answer["faults"]],
            "times": {"search_ms": elapsed_ms},
            "metrics": metrics,
            "files": {"binary": binary, "logs": logs},
        }

    def write(self, name, elapsed_ms, buckets=30):
        result = self.unmeasured(elapsed_ms) if self.apart else self.result(elapsed_ms, buckets)
        Path(name + ".new").write_text(json.dumps(result))
        os.replace(name + ".new", name)
        return result

    def snapshot(self, elapsed_ms):
        """Writes a snapshot while the fuzzer runs; it shares the core with the fuzzer."""
        try:
            written = self.write(self.request["snapshot"], elapsed_ms, 6)
            if self.apart:
                return
            taken = written["criteria"][0]
            line = json.dumps({"covered": len(taken["covered"]), "goals": taken["goals"]})
            with open(self.request["live"], "a") as live:
                live.write(line + "\n")
        except (OSError, subprocess.SubprocessError, ValueError) as error:
            print(f"no snapshot: {error}")

    def run(self):
        request = self.request
        program = targets.built(request["environment"], request["project"])
        budget_ms = request["budget"]["wall_ms"]
        targets.write_seeds(request["project"]["data"], Path("seeds"))
        if not any(Path("seeds").iterdir()):
            Path("seeds/empty").write_bytes(b"\n")
        signal.signal(signal.SIGTERM, self.end)
        start = time.monotonic()
        process = self.fuzzer.start(request, program)
        throttled = throttle.Throttle(process, request["parameters"]["share"])
        count = request["parameters"]["snapshots"]
        thread = None
        due = [budget_ms * (number + 1) / (count + 1) for number in range(count)]
        while process.poll() is None and not self.asked_to_end:
            elapsed = 1000 * (time.monotonic() - start)
            if elapsed >= budget_ms:
                break
            if due and elapsed >= due[0]:
                due.pop(0)
                if thread is None or not thread.is_alive():
                    thread = threading.Thread(target=self.snapshot, args=(int(elapsed),))
                    thread.start()
            throttled.step()
        elapsed = int(1000 * (time.monotonic() - start))
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGTERM)
            try:
                process.wait(5)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        elif elapsed < budget_ms / 2 and not self.asked_to_end:
            print(Path("fuzzer.log").read_text(errors="replace")[-1500:])
            raise SystemExit(f"the fuzzer ended after {elapsed} of {budget_ms} ms with {process.returncode}")
        if thread:
            thread.join()
        self.write(request["out"], min(elapsed, budget_ms))

    def end(self, *_):
        self.asked_to_end = True


def archive(inputs, crashes=()):
    """All inputs as one archive, named by their numbers and their times in milliseconds; crashing inputs, up to a bound,
    in the folder `crashes`. The same inputs give the same bytes."""
    def sorted_by_time(found):
        return sorted(found, key=lambda one: (one["wall_ms"], one["path"]))

    named = [(f"{number:06}", one) for number, one in enumerate(sorted_by_time(inputs))]
    named += [(f"crashes/{number:06}", one) for number, one in enumerate(sorted_by_time(crashes)[:MAX_CRASHES])]
    with open("corpus.new", "wb") as file, gzip.GzipFile("", "wb", 6, file, mtime=0) as packed:
        with tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as tar:
            for name, one in named:
                try:
                    contents = Path(one["path"]).read_bytes()
                except OSError:
                    continue
                info = tarfile.TarInfo(f"{name}-{one['wall_ms']}ms")
                info.size = len(contents)
                tar.addfile(info, io.BytesIO(contents))
    os.replace("corpus.new", "corpus.tar.gz")
    return "corpus.tar.gz"


def files(folder, skip=()):
    """The regular files of a folder that may not exist yet."""
    try:
        entries = [entry for entry in os.scandir(folder) if entry.is_file(follow_symlinks=False)]
    except OSError:
        return []
    return [entry for entry in entries if not entry.name.startswith(tuple(skip))]
