"""The notebook of the documentation: its code runs, and shows what is stored in it."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any, Dict

import pytest

import catherd

ROOT = Path(__file__).resolve().parents[2]


def run(source: str, names: Dict[str, Any]) -> Any:
    """Executes a cell, and returns the value of its last line."""
    body = ast.parse(source).body
    last = body.pop()
    assert isinstance(last, ast.Expr)
    exec(compile(ast.Module(body, []), "cell", "exec"), names)
    return eval(compile(ast.Expression(last.value), "cell", "eval"), names)


def test_the_notebook_shows_what_its_code_gives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("polars")
    (tmp_path / "datasets").symlink_to(ROOT / "datasets")
    monkeypatch.chdir(tmp_path)
    notebook = json.loads((ROOT / "docs/how-to/results.ipynb").read_text(encoding="utf-8"))
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert len(cells) == 5
    names: Dict[str, Any] = {}
    compared = 0
    for cell in cells:
        value = run("".join(cell["source"]), names)
        stored = next(one["data"] for one in cell["outputs"] if one["output_type"] == "execute_result")
        if isinstance(value, catherd.Figure):
            assert "".join(stored["image/svg+xml"]).strip() == value.svg.strip()
            compared += 1
        elif isinstance(value, tuple):
            # The notebook breaks lines.
            assert "".join(stored["text/plain"]).split() == repr(value).split()
            compared += 1
        else:
            # Frames are drawn differently by each version of their library.
            shape = getattr(value, "shape", None)
            assert shape is None or f"shape: {shape}" in "".join(stored["text/plain"])
    assert compared == 2
