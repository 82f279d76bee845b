"""Runs of studies, with progress in notebooks and terminals."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, Callable, Iterable, List, Mapping, Optional, Union

from ._binary import CatherdError, binary
from ._results import Results

#: A value of a flag.
Flag = Union[bool, int, float, str, os.PathLike[str], Iterable[Union[str, int, os.PathLike[str]]], None]


def flags(values: Mapping[str, Flag]) -> List[str]:
    """The words of flags: `keep_going=True` is `--keep-going`, and lists are separated by commas; only
    the paths of `projects` are words of their own."""
    words: List[str] = []
    for name, value in values.items():
        flag = "--" + name.replace("_", "-")
        if value is None or value is False:
            continue
        if value is True:
            words.append(flag)
        elif isinstance(value, (str, int, float, os.PathLike)):
            words += [flag, os.fspath(value) if isinstance(value, os.PathLike) else str(value)]
        else:
            parts = [os.fspath(one) if isinstance(one, os.PathLike) else str(one) for one in value]
            # One seed with a comma is the seed, without it the number of seeds.
            joined = ",".join(parts) + ("," if name == "seeds" and len(parts) == 1 else "")
            words += [flag, *parts] if name == "projects" else [flag, joined]
    return words


class _Progress:
    """Shows one line of progress, in a notebook or on a terminal."""

    def __init__(self) -> None:
        self.handle: Any = None
        shell = sys.modules.get("IPython")
        if shell is not None and shell.get_ipython() is not None:
            from IPython.display import display

            self.handle = display({"text/plain": "catherd"}, raw=True, display_id=True)
        self.on_terminal = self.handle is None and sys.stderr.isatty()

    def __call__(self, event: Mapping[str, Any]) -> None:
        line = describe(event)
        if line is None:
            return
        if self.handle is not None:
            self.handle.update({"text/plain": line}, raw=True)
        elif self.on_terminal:
            ending = "\n" if event["event"] in ("finished", "stopped") else ""
            print(f"\r\x1b[K{line}", end=ending, file=sys.stderr, flush=True)


def describe(event: Mapping[str, Any]) -> Optional[str]:
    """One line about an event; None if it is not worth one."""
    kind = event["event"]
    if kind == "started":
        return f"{event['study']}: {event['runs']} runs on {event['workers']} workers"
    if kind == "progress":
        ended = event["done"] + event["failed"] + event["quarantined"]
        line = f"{ended}/{event['runs']} runs"
        if event["mean_coverage"] is not None:
            line += f", mean coverage {100 * event['mean_coverage']:.1f} %"
        if event["left_ms"] is not None:
            line += f", {event['left_ms'] / 1000:.0f} s left"
        return line
    if kind == "failure":
        return f"failed: {event['algorithm']}: {event['reason']}"
    if kind == "finished":
        return f"{event['study']}: {event['done']} of {event['runs']} runs in {event['seconds']:.1f} s"
    if kind == "stopped":
        return f"{event['study']}: stopped; the same call continues"
    return None


def run(
    study: Union[str, os.PathLike[str], None] = None,
    *,
    on_event: Optional[Callable[[Mapping[str, Any]], None]] = None,
    **options: Flag,
) -> Results:
    """Runs a study, or continues it, and returns its results.

    `study` is a study file, and `options` are the flags of `catherd run` with underscores, such as
    `seeds=5`, `algorithms=["random", "mio"]`, `projects="games"`, `executions=300`, `out="results/x"`.
    `on_event` gets each event of `catherd run --json`; by default progress is shown.

    Raises CatherdError if the study cannot be run or was stopped. A study with skipped projects or
    failed runs is complete: `Results.problems` lists what is missing.
    """
    command = [binary(), "run", "--json", *flags(options)]
    if study is not None:
        command.insert(2, os.fspath(study))
    show = _Progress() if on_event is None else on_event
    last: Mapping[str, Any] = {}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8"
    ) as process:
        assert process.stdout is not None and process.stderr is not None
        for line in process.stdout:
            last = json.loads(line)
            show(last)
        said = process.stderr.read()
    if process.returncode not in (0, 2) or last.get("event") != "finished":
        raise CatherdError(said.strip(), process.returncode)
    return Results(Path(last["results"]), problems=last["problems"])
