"""The adapter of Pynguin 0.48.0: environments, runs, and results in the terms of catherd.

Usage: adapter.py prepare|doctor|describe|execute REQUEST

A project is a descriptor whose data has `module`, `package` (name and version, as an index knows
them), `sha256` (of the archive of the package), and `lock` (the name of a lock without its ending).

An environment is a folder:

    tool/             the tool alone, from locks/tool.txt
    venvs/LOCK/       the tool with the dependencies of a project, from locks/LOCK.txt
    sources/SHA256/   the unpacked archive of a package
    described/DIGEST.json  what `describe` said of a project, which catherd keeps
"""

import csv
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

VERSION = "0.48.0"
PYTHON = (3, 11)
HERE = pathlib.Path(__file__).resolve().parent
INTERVAL_MS = 100
# Seconds that a module may take to be loaded. The tool's default, 5, is too short on a busy machine.
LOADING_S = 60
TYPES = {"hints": "TYPE_HINTS", "none": "NONE"}
ASSERTIONS = {"none": "NONE", "simple": "SIMPLE", "mutation": "MUTATION_ANALYSIS"}

# Settings of the published study (section 4.1.2) where the defaults of this version are others.
PUBLISHED = {
    "--population": 50,
    "--crossover-rate": 0.75,
    "--selection": "TOURNAMENT_SELECTION",
    "--tournament-size": 5,
    "--exploitation_starts_at_percent": 0.5,
    "--initial_config.number_of_tests_per_target": 10,
    "--initial_config.random_test_or_from_archive_probability": 0.5,
    "--initial_config.number_of_mutations": 1,
    "--focused_config.number_of_tests_per_target": 1,
    "--focused_config.random_test_or_from_archive_probability": 0.0,
    "--focused_config.number_of_mutations": 10,
    "--local_search": False,
    "--assertion-minimization": False,
}

VARIABLES = """TargetModule RandomSeed BranchCoverage FinalBranchCoverage ImportBranchCoverage Goals
CodeObjects Predicates AlgorithmIterations SearchTime TotalTime Size Length LineNos McCabeAST
AccessibleObjectsUnderTest GeneratableTypes""".split()
MUTANT_VARIABLES = """MutationScore NumberOfCreatedMutants NumberOfCheckedMutants
NumberOfKilledMutants NumberOfTimedOutMutants Assertions""".split()

# Parameters of runs that are not part of a study.
DEFAULTS = {"types": "hints", "assertions": "none", "minimisation": "none", "profile": "published",
            "population": None}


# The tool's error if its limit of time for loading a module ends.
TIMEOUT = "TestExecutionTimeoutError"


class Unsupported(Exception):
    """The tool can never do this project."""


class Failed(Exception):
    """The run has no result."""


def command_line(request, source, python):
    """The command line of the tool for a request."""
    parameters, budget = request["parameters"], request["budget"]
    mutants = parameters["assertions"] == "mutation"
    variables = VARIABLES + (["CoverageTimeline"] if budget["wall_ms"] else [])
    options = {
        "--project-path": source,
        "--module-name": request["project"]["data"]["module"],
        "--output-path": "suite",
        "--report-dir": "report",
        "--algorithm": request["algorithm"],
        "--seed": request["seed"],
        "--type-inference-strategy": TYPES[parameters["types"]],
        "--assertion_generation": ASSERTIONS[parameters["assertions"]],
        "--test_case_minimization_strategy": parameters["minimisation"].upper(),
        "--timeline-interval": INTERVAL_MS * 1_000_000,
        "--timeline-interpolation": False,
        "--create-coverage-report": True,
        "--format-with-black": False,
        "--use_master_worker": False,
        "--maximum-memory": 3000,
        "--maximum_module_execution_timeout": LOADING_S,
        "--output-variables": ",".join(variables + (MUTANT_VARIABLES if mutants else [])),
    }
    if parameters["profile"] == "published":
        options |= PUBLISHED
    if parameters["population"] is not None:
        options["--population"] = parameters["population"]
    if budget["wall_ms"]:
        options["--maximum-search-time"] = -(-budget["wall_ms"] // 1000)
    if budget["executions"]:
        options["--maximum_test_executions"] = budget["executions"]
    if budget.get("iterations"):
        options["--maximum_iterations"] = budget["iterations"]
    words = [str(word) for option in options.items() for word in option]
    # It says how far the search is only with -v.
    return [str(python), "-m", "pynguin", "--no-rich", "-v", *words]


def goals_of(report):
    """Names of the goals, and the numbers of those that are covered, from cov_report.xml.

    How many goals of a line are covered is known, not which: the goal `line L, k of n` is that at
    least k of the n goals of line L are covered.
    """
    names, covered = [], []
    root = xml.etree.ElementTree.parse(report).getroot()
    for line in root.iter("line"):
        found = re.search(r"\((\d+)/(\d+)\)", line.get("condition-coverage", ""))
        if found:
            reached, there = int(found[1]), int(found[2])
            covered += range(len(names), len(names) + reached)
            names += [f"line {line.get('number')}, {k} of {there}" for k in range(1, there + 1)]
    if (len(names), len(covered)) != tuple(
        int(root.get(f"branches-{kind}")) for kind in ("valid", "covered")
    ):
        raise Failed("cov_report.xml: its lines do not add up to its branches")
    return names, covered


def timeline_of(row, goals, end):
    """Improvements by real time, up to `end` covered goals."""
    points = [(0, round(float(row["ImportBranchCoverage"]) * goals))]
    for name, value in row.items():
        if name.startswith("CoverageTimeline_T") and value:
            points.append((int(name[18:]) * INTERVAL_MS, round(float(value) * goals)))
    points.append((milliseconds(row["SearchTime"]), end))
    points.sort()
    ascending = []
    for at, covered in points:
        if covered <= end and (not ascending or covered > ascending[-1]["covered"]):
            ascending.append({"wall_ms": at, "covered": covered})
    return ascending


def milliseconds(nanoseconds):
    return round(float(nanoseconds) / 1e6)


def failure_of_loading(reason, by_time):
    """Whether a module that cannot be loaded is unsupported, or may be loaded on a less busy machine."""
    if by_time:
        return Failed(f"the module was not loaded within {LOADING_S} s: {reason}")
    return Unsupported(reason)


def result_of(request, folder):
    """The result of a run that has left its files in a folder."""
    log = (folder / "pynguin.log").read_text(errors="replace")
    statistics = folder / "report" / "statistics.csv"
    if not statistics.exists():
        lines = [line for line in log.splitlines() if line.strip()] or ["no output"]
        errors = [line for line in lines if "ERROR" in line or "CRITICAL" in line]
        reason = (errors or lines)[-1].strip()
        if "Failed to load SUT" in log:
            cause = [line for line in lines if re.match(r"[\w.]*(Error|Exception)\b", line)]
            cause = (cause or [reason])[-1]
            raise failure_of_loading(cause, TIMEOUT in cause)
        raise Failed(reason)
    with statistics.open(newline="") as file:
        row = list(csv.DictReader(file))[-1]
    report = folder / "report" / "cov_report.xml"
    if not report.exists():
        # A package that puts something else in the place of its modules cannot be loaded again.
        failed = re.search(r"Failed to reload SUT: .*", log)
        if failed:
            raise failure_of_loading(failed.group(), TIMEOUT in log[failed.start():])
        raise Failed("the tool has written no cov_report.xml")
    names, covered = goals_of(report)
    goals = len(names)
    if goals and len(covered) != round(float(row["FinalBranchCoverage"]) * goals):
        share = row["FinalBranchCoverage"]
        raise Failed(f"{len(covered)} of {goals} goals in cov_report.xml, {share} in statistics.csv")
    searched = round(float(row["BranchCoverage"]) * goals) if goals else 0
    complexity = json.loads(row["McCabeAST"] or "[]")
    metrics = {
        "lines": int(row["LineNos"] or 0),
        "mccabe": sum(complexity) / len(complexity) if complexity else 0,
        "code_objects": int(row["CodeObjects"] or 0),
        "predicates": int(row["Predicates"] or 0),
        "accessible_objects": int(row["AccessibleObjectsUnderTest"] or 0),
        "types": int(row["GeneratableTypes"] or 0),
        "iterations": int(row["AlgorithmIterations"] or 0),
        "import_covered": round(float(row["ImportBranchCoverage"]) * goals),
        "test_timeouts": log.count("Experienced timeout"),
    }
    if searched != len(covered):
        metrics["search_covered"] = searched
    result = {
        "contract": 1,
        "tool": tool_of(request),
        "goals": goals,
        "covered": covered,
        "goal_names": names,
        "timeline": timeline_of(row, goals, searched) if goals else [],
        "suite": {"tests": int(row["Size"] or 0), "size": int(row["Length"] or 0),
                  "unit": "statements", "removed": 0},
        "times": {"search_ms": milliseconds(row["SearchTime"]),
                  "total_ms": milliseconds(row["TotalTime"])},
        "files": {"suite": sorted(str(file.relative_to(folder))
                                  for file in (folder / "suite").rglob("*.py"))},
        "metrics": metrics,
    }
    if row.get("NumberOfCreatedMutants"):
        counts = {"created": "Created", "checked": "Checked", "killed": "Killed",
                  "timed_out": "TimedOut"}
        counts = {name: int(row[f"NumberOf{own}Mutants"] or 0) for name, own in counts.items()}
        result["mutant_counts"] = counts
        if counts["created"]:
            metrics["mutation_score"] = float(row["MutationScore"])
        metrics["assertions"] = int(row["Assertions"] or 0)
    return result


class Live:
    """Passes on how far a search is: a line of `live.jsonl` for each improvement in the tool's log.

    The log has shares. The number of goals is that of the description of the project, if there is one.
    """

    def __init__(self, request):
        digest = request["project"]["digest"]
        described = pathlib.Path(request["environment"]) / "described" / f"{digest}.json"
        measures = json.loads(described.read_text()).get("measures", {}) if described.exists() else {}
        self.goals = int(measures.get("goals", 0))
        self.file = pathlib.Path(request["live"])
        self.covered, self.read = -1, 0

    def update(self, log):
        """Reads the lines that the log has got since the last call."""
        with log.open("rb") as file:
            file.seek(self.read)
            text = file.read()
        whole = text.rfind(b"\n") + 1
        self.read += whole
        shares = re.findall(rb"^.*(?:Iteration|Population).*Coverage: ([0-9.]+)", text[:whole], re.M)
        covered = max((round(float(share) * self.goals) for share in shares), default=-1)
        if self.goals and covered > self.covered:
            self.covered = covered
            with self.file.open("a") as file:
                file.write(json.dumps({"covered": covered, "goals": self.goals}) + "\n")


def run(request, command):
    """Runs the tool in the working folder, with its output in pynguin.log."""
    log, live = pathlib.Path("pynguin.log"), Live(request) if request.get("live") else None
    variables = dict(os.environ, PYTHONHASHSEED=str(request["seed"] % 2**32))
    with log.open("wb") as output:
        tool = subprocess.Popen(command, env=variables, stdin=subprocess.DEVNULL,
                                stdout=output, stderr=output)
        while True:
            try:
                return tool.wait(timeout=1)
            except subprocess.TimeoutExpired:
                if live:
                    live.update(log)


def keep_log():
    """Writes the log without the lines of iterations, of which a search may make many thousands."""
    with open("pynguin.log", errors="replace") as log, open("tool.log", "w") as kept:
        kept.writelines(line for line in log if "Iteration: " not in line)
    return ["tool.log"]


def mutated(request):
    """The request of a study with mutation analysis, which the tool joins with assertions."""
    if request.get("mutation") is None:
        return request
    others = sorted(request["mutation"])
    if others:
        raise Failed(f"mutation: the tool makes all mutants of its own, and takes no {others[0]}")
    return dict(request, parameters=dict(request["parameters"], assertions="mutation"))


def tool_of(request):
    """What runs: the tool and, in an environment, its Python and its lock."""
    tool = {"name": "pynguin", "version": VERSION}
    lock = (request.get("project", {}).get("data") or {}).get("lock", "tool")
    python = python_of(pathlib.Path(request.get("environment", ".")), lock)
    about = python.parent.parent / "pyvenv.cfg"
    if about.exists():
        settings = (line.partition("=") for line in about.read_text().splitlines())
        settings = {name.strip(): value.strip() for name, _, value in settings}
        if "version" in settings:
            tool |= {"python": settings["version"], "lock": f"locks/{lock}.txt"}
    return tool


def places_of(request):
    """The sources of a project, and the Python with its dependencies."""
    data, environment = request["project"].get("data"), pathlib.Path(request["environment"])
    if not data:
        raise Unsupported("a project of Pynguin is a descriptor, NAME.project.toml")
    source = environment / "sources" / data["sha256"]
    python = python_of(environment, data["lock"])
    for needed in (source, python):
        if not needed.exists():
            raise Failed(f"{needed} is missing: run `catherd tool prepare` with the study")
    return source, python


def execute(request):
    request = mutated(request)
    run(request, command_line(request, *places_of(request)))
    result = result_of(request, pathlib.Path())
    result["files"]["logs"] = keep_log()
    return result


def describe(request):
    """The measures of a project, by one iteration of the search."""
    request = dict(request, algorithm="DYNAMOSA", parameters=DEFAULTS,
                   budget={"executions": None, "wall_ms": None, "iterations": 1})
    run(request, command_line(request, *places_of(request)))
    result = result_of(request, pathlib.Path())
    names = ("lines", "mccabe", "code_objects", "predicates", "types")
    measures = {name: result["metrics"][name] for name in names}
    return {"contract": 1, "measures": dict(measures, goals=result["goals"])}


def python_of(environment, lock):
    folder = environment / "tool" if lock == "tool" else environment / "venvs" / lock
    return folder / "bin" / "python"


def interpreter():
    """A Python of the version that the locks are for."""
    version = ".".join(map(str, PYTHON))
    for candidate in (sys.executable, f"python{version}", "python3"):
        if shutil.which(candidate):
            code = "import sys; print(*sys.version_info[:2])"
            found = subprocess.run([candidate, "-c", code], capture_output=True, text=True)
            if found.stdout.split() == [str(part) for part in PYTHON]:
                return candidate
    sys.exit(f"Python {version} is not in PATH, and the locks are for it")


def prepare(request):
    environment = pathlib.Path(request["environment"])
    source = ["--quiet", "--disable-pip-version-check"]
    if request["wheels"]:
        source += ["--no-index", "--find-links", request["wheels"]]
    projects = [project["data"] for project in request["projects"] if project["data"]]
    for lock in sorted({"tool", *(project["lock"] for project in projects)}):
        python = python_of(environment, lock)
        done = python.parent.parent / "complete"
        if done.exists():
            continue
        print(f"environment {lock}", flush=True)
        shutil.rmtree(python.parent.parent, ignore_errors=True)
        subprocess.run([interpreter(), "-m", "venv", python.parent.parent], check=True)
        subprocess.run([python, "-m", "pip", "install", *source, "--require-hashes", "--no-deps",
                        "--requirement", HERE / "locks" / f"{lock}.txt"], check=True)
        done.touch()
    wanted = {project["sha256"]: project["package"] for project in projects}
    for digest, package in sorted(wanted.items(), key=lambda item: item[1]):
        unpack(environment, python_of(environment, "tool"), source, digest, package)


def unpack(environment, python, options, digest, package):
    """Unpacks a package, built to a wheel if its archive is a source distribution."""
    target = environment / "sources" / digest
    if target.exists():
        return
    print(f"package {package}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "one.txt").write_text(f"{package} --hash=sha256:{digest}\n")
        subprocess.run([python, "-m", "pip", "wheel", *options, "--require-hashes", "--no-deps",
                        "--wheel-dir", folder, "--requirement", folder / "one.txt"], check=True)
        [wheel] = folder.glob("*.whl")
        fresh = target.with_name(digest + ".new")
        shutil.rmtree(fresh, ignore_errors=True)
        shutil.unpack_archive(wheel, fresh, "zip")
        fresh.rename(target)


def doctor(request):
    environment = pathlib.Path(request["environment"])
    python = python_of(environment, "tool")
    code = "import importlib.metadata as m, sys; print(*sys.version_info[:2]); " \
           "print(*(f'{d.name}=={d.version}' for d in m.distributions()), sep='\\n')"
    found = subprocess.run([python, "-c", code], capture_output=True, text=True)
    if found.returncode:
        sys.exit(f"{python}: {found.stderr.strip() or 'cannot be started'}")
    version, *installed = found.stdout.splitlines()
    if version.split() != [str(part) for part in PYTHON]:
        sys.exit(f"{python} is Python {version.replace(' ', '.')}")
    normal = {normalised(name) for name in installed}
    lock = (HERE / "locks" / "tool.txt").read_text()
    missing = [name for name in re.findall(r"^([\w.-]+==[^ \\]+)", lock, re.M)
               if normalised(name) not in normal]
    if missing:
        sys.exit("missing: " + ", ".join(missing))
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "three.py").write_text("def three(n: int) -> int:\n    if n > 3:\n"
                                         "        return 3\n    return n\n")
        request = {"project": {"data": {"module": "three"}}, "algorithm": "RANDOM", "seed": 1,
                   "budget": {"executions": 20, "wall_ms": None}, "parameters": DEFAULTS}
        variables = dict(os.environ, PYNGUIN_DANGER_AWARE="1", PYTHONHASHSEED="1")
        with (folder / "pynguin.log").open("wb") as log:
            subprocess.run(command_line(request, folder, python), env=variables, cwd=folder,
                           stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        result = result_of(request, folder)
    locks = sorted((HERE / "locks").glob("*.txt"))
    digest = hashlib.sha256(b"".join(lock.read_bytes() for lock in locks)).hexdigest()
    print(f"Python {version.replace(' ', '.')}, {len(installed)} packages, locks {digest[:12]}")
    print(f"a run on a module of four lines: {len(result['covered'])} of {result['goals']} goals")


def normalised(requirement):
    name, version = requirement.split("==")
    return re.sub(r"[-_.]+", "-", name).lower(), version


def main():
    command, file = sys.argv[1:]
    request = json.loads(pathlib.Path(file).read_text())
    if command not in ("execute", "describe"):
        return {"prepare": prepare, "doctor": doctor}[command](request)
    try:
        result = {"execute": execute, "describe": describe}[command](request)
    except Unsupported as reason:
        result = {"contract": 1, "outcome": "unsupported", "reason": str(reason)[:2000]}
    except Failed as reason:
        sys.exit(str(reason))
    pathlib.Path(request["out"]).write_text(json.dumps(result))


if __name__ == "__main__":
    try:
        main()
    except (Failed, Unsupported) as reason:
        sys.exit(str(reason))
    except subprocess.CalledProcessError as failure:
        sys.exit(f"{failure.cmd[0]} ended with {failure.returncode}")
