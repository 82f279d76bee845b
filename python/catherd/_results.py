"""Results of studies as data frames and figures."""

from __future__ import annotations

import importlib.util
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, List, Mapping, Optional, Sequence, Union

from ._binary import call

if TYPE_CHECKING:
    import pandas
    import polars

    Frame = Union[polars.DataFrame, pandas.DataFrame]
else:
    Frame = Any

#: Columns of `runs` that a timeline is joined with.
_OF_RUN = ["run", "project", "algorithm", "seed"]


class Figure:
    """A figure of a report as SVG, which notebooks show."""

    def __init__(self, name: str, svg: str) -> None:
        #: The name of the figure in reports.
        self.name = name
        #: The figure as SVG.
        self.svg = svg

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return f"Figure({self.name!r})"

    def save(self, path: Union[str, os.PathLike[str]]) -> None:
        """Writes the SVG."""
        Path(path).write_text(self.svg, encoding="utf-8")


def _library(wanted: Optional[str]) -> str:
    """The library of data frames: the wanted one, otherwise polars, otherwise pandas."""
    if wanted not in (None, "polars", "pandas"):
        raise ValueError(f"unknown library {wanted!r}: write polars or pandas")
    for name in [wanted] if wanted else ["polars", "pandas"]:
        if importlib.util.find_spec(name) is not None:
            return name
    raise ImportError("install polars, or pandas and pyarrow: pip install 'catherd[polars]'")


def read(folder: Union[str, os.PathLike[str]], frames: Optional[str] = None) -> "Results":
    """The results of a study in a folder. `frames` is `polars` or `pandas`: the data frames that are
    returned, by default those that are installed.

    Raises FileNotFoundError if the folder has no results.
    """
    return Results(Path(folder), frames=frames)


class Results:
    """The results of a study: tables as data frames, and figures."""

    def __init__(
        self,
        folder: Path,
        frames: Optional[str] = None,
        problems: Sequence[Mapping[str, Any]] = (),
    ) -> None:
        #: The folder of the study.
        self.folder = folder
        #: The library of data frames, or None for the installed one.
        self.frames = frames
        #: What is missing, by project and reason, if the study was run by this process.
        self.problems: List[Mapping[str, Any]] = list(problems)
        if not (folder / "runs.parquet").is_file():
            raise FileNotFoundError(f"{folder}: no results of catherd (runs.parquet) here")

    def __repr__(self) -> str:
        return f"Results({str(self.folder)!r})"

    def table(self, name: str) -> Frame:
        """A table of the folder by the name of its file, such as `runs` or `coverage`."""
        parquet, csv = self.folder / f"{name}.parquet", self.folder / f"{name}.csv"
        if not parquet.is_file() and not csv.is_file():
            known = sorted({file.stem for file in self.folder.iterdir() if file.suffix == ".csv"})
            raise KeyError(f"no table {name!r}; there are {', '.join(known)}")
        if _library(self.frames) == "polars":
            import polars

            return polars.read_parquet(parquet) if parquet.is_file() else polars.read_csv(csv)
        import pandas

        return pandas.read_parquet(parquet) if parquet.is_file() else pandas.read_csv(csv)

    def runs(self) -> Frame:
        """One row for each run."""
        return self.table("runs")

    def comparisons(self) -> Frame:
        """One row for each project and pair of algorithms: A12, U, p."""
        return self.table("comparisons")

    def goals(self) -> Frame:
        """One row for each named goal and algorithm, for kinds that name goals."""
        return self.table("goals")

    def timeline(self, grid: Optional[Sequence[int]] = None, clock: str = "executions") -> Frame:
        """Covered goals over the budget, with project, algorithm and seed of each run.

        Without a grid, one row for each improvement, as steps. With a grid of amounts of `clock`
        (`executions`, another unit, or `wall_ms`), one row for each run and amount: what was covered by
        then, 0 before the first improvement.
        """
        if _library(self.frames) == "polars":
            return self._timeline_polars(grid, clock)
        return self._timeline_pandas(grid, clock)

    def _timeline_polars(self, grid: Optional[Sequence[int]], clock: str) -> Frame:
        import polars

        runs: Any = self.runs()
        steps: Any = self.table("timeline")
        own = [name for name in steps.columns if name == "run" or name not in _OF_RUN]
        of_run = runs.select([*_OF_RUN, "goals"])
        if grid is None:
            return steps.select(own).join(of_run, on="run", how="inner")
        done = of_run.filter(runs["outcome"] == "done")
        amounts = polars.DataFrame({clock: sorted(set(grid))}, schema={clock: polars.Int64})
        points = done.join(amounts, how="cross").sort(clock)
        steps = steps.select(["run", clock, "covered"]).with_columns(polars.col(clock).cast(polars.Int64))
        joined = points.join_asof(steps.sort(clock), on=clock, by="run", check_sortedness=False)
        columns = [*_OF_RUN, "goals", clock, "covered"]
        return joined.with_columns(polars.col("covered").fill_null(0)).select(columns).sort(["run", clock])

    def _timeline_pandas(self, grid: Optional[Sequence[int]], clock: str) -> Frame:
        import pandas

        runs: Any = self.runs()
        steps: Any = self.table("timeline")
        own = [name for name in steps.columns if name == "run" or name not in _OF_RUN]
        of_run = runs[[*_OF_RUN, "goals"]]
        if grid is None:
            return steps[own].merge(of_run, on="run")
        done = of_run[runs.outcome == "done"]
        amounts = pandas.DataFrame({clock: sorted(set(grid))}).astype("int64")
        points = done.merge(amounts, how="cross").sort_values(clock)
        steps = steps[["run", clock, "covered"]].astype({clock: "int64"}).sort_values(clock)
        joined = pandas.merge_asof(points, steps, on=clock, by="run")
        joined["covered"] = joined["covered"].fillna(0).astype("int64")
        return joined.sort_values(["run", clock]).reset_index(drop=True)

    def figures(self) -> List[str]:
        """The names of the figures of the report."""
        with tempfile.TemporaryDirectory() as folder:
            self._report(folder)
            return sorted(file.stem for file in (Path(folder) / "figures").glob("*.svg"))

    def figure(self, name: str) -> Figure:
        """A figure of the report, such as `coverage-boxes`."""
        with tempfile.TemporaryDirectory() as folder:
            self._report(folder)
            file = Path(folder) / "figures" / f"{name}.svg"
            if not file.is_file():
                known = sorted(file.stem for file in file.parent.glob("*.svg"))
                raise KeyError(f"no figure {name!r}; there are {', '.join(known)}")
            return Figure(name, file.read_text(encoding="utf-8"))

    def _report(self, folder: str) -> None:
        call(["report", str(self.folder), "-o", folder, "--figures", "svg"])
