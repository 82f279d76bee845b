"""The package with a real study: two projects, two algorithms, three seeds."""

from __future__ import annotations

from pathlib import Path

import pytest

import catherd

ROOT = Path(__file__).resolve().parents[2]
FRAMES = ["polars", "pandas"]


@pytest.fixture(scope="session")
def results(tmp_path_factory: pytest.TempPathFactory) -> catherd.Results:
    events = []
    found = catherd.run(
        projects=[ROOT / "datasets/demo/kiosk", ROOT / "datasets/demo/maze"],
        algorithms=["random", "mio"],
        seeds=[1, 2, 3],
        executions=40,
        workers=1,
        out=tmp_path_factory.mktemp("results") / "two",
        on_event=events.append,
    )
    kinds = [event["event"] for event in events]
    assert kinds[0] == "started" and kinds[-1] == "finished"
    assert found.problems == []
    return found


@pytest.mark.parametrize("frames", FRAMES)
def test_tables_are_frames(results: catherd.Results, frames: str) -> None:
    pytest.importorskip(frames)
    read = catherd.read(results.folder, frames=frames)
    runs = read.runs()
    assert type(runs).__module__.startswith(frames)
    assert len(runs) == 12 and set(runs["outcome"]) == {"done"}
    assert len(read.comparisons()) == 2
    with pytest.raises(KeyError, match="no table 'rnus'; there are .*runs"):
        read.table("rnus")


@pytest.mark.parametrize("frames", FRAMES)
def test_a_timeline_is_joined_and_sampled(results: catherd.Results, frames: str) -> None:
    pytest.importorskip(frames)
    read = catherd.read(results.folder, frames=frames)
    steps = read.timeline()
    assert {"project", "algorithm", "seed", "executions", "covered"} <= set(steps.columns)
    grid = read.timeline(grid=[40, 10, 0])
    assert len(grid) == 3 * 12 and set(grid["executions"]) == {0, 10, 40}
    runs = {run: covered for run, covered in zip(read.runs()["run"], read.runs()["covered"])}
    last = [(run, covered) for run, at, covered in zip(grid["run"], grid["executions"], grid["covered"]) if at == 40]
    assert dict(last) == runs
    assert [covered for at, covered in zip(grid["executions"], grid["covered"]) if at == 0] == [0] * 12


def test_both_libraries_give_the_same_timeline(results: catherd.Results) -> None:
    for frames in FRAMES:
        pytest.importorskip(frames)
    columns = ["run", "project", "algorithm", "seed", "executions", "covered"]
    tables = [catherd.read(results.folder, frames=frames).timeline(grid=[5, 20]) for frames in FRAMES]
    rows = [sorted(zip(*(list(table[column]) for column in columns))) for table in tables]
    assert rows[0] == rows[1]


def test_a_figure_is_shown_in_a_notebook(results: catherd.Results, tmp_path: Path) -> None:
    figure = results.figure("coverage-boxes")
    assert figure._repr_svg_().lstrip().startswith("<svg")
    figure.save(tmp_path / "boxes.svg")
    assert (tmp_path / "boxes.svg").read_text(encoding="utf-8") == figure.svg
    with pytest.raises(KeyError, match="there are .*coverage-boxes"):
        results.figure("boxes")


def test_statistics_are_those_of_the_command() -> None:
    effect = catherd.stats.a12([1, 2, 3, 9], [4, 5, 6, 2])
    assert effect.estimate == 0.34375 and effect.magnitude == "medium"
    assert effect.interval is not None and effect.interval[0] < 0.34375 < effect.interval[1]
    test = catherd.stats.mann_whitney([1, 2, 3, 9], [4, 5, 6, 2])
    assert test.u == 5.5 and test.method == "exact" and 0.4 < test.p < 0.7
    with pytest.raises(ValueError, match="a12 is not available"):
        catherd.stats.a12([], [1.0])


def test_a_failure_is_an_exception_with_the_words_of_the_command(tmp_path: Path) -> None:
    with pytest.raises(catherd.CatherdError, match="unknown algorithm `moi`") as failure:
        catherd.run(
            projects=ROOT / "datasets/demo/kiosk", algorithms="moi", executions=5, out=tmp_path / "out"
        )
    assert failure.value.code == 1 and "write `mio`" in str(failure.value)
    with pytest.raises(FileNotFoundError):
        catherd.read(tmp_path)
    assert catherd.version().startswith("catherd ")
