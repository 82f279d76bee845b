"""Sources of targets: files in a descriptor, and packages of Debian by version and digest."""

import functools
import hashlib
import os
import re
import shutil
import subprocess
from pathlib import Path

SOURCES = "/etc/apt/sources.list.d/debian.sources"
# Endings of the names of sources in C++.
CPP = (".cc", ".cpp")


def check(words, folder):
    ended = subprocess.run(words, cwd=folder, capture_output=True, text=True, errors="replace")
    if ended.returncode:
        raise SystemExit(f"{' '.join(words)}: {ended.stdout[-2000:]}{ended.stderr[-2000:]}")


def doctor(programs):
    missing = [name for name in programs if not shutil.which(name)]
    if "clang-14" not in missing:
        runtime = subprocess.run(["clang-14", "-print-runtime-dir"], capture_output=True, text=True).stdout.strip()
        if not list(Path(runtime).glob("libclang_rt.asan*")):
            missing.append("libclang-rt-14-dev")
    print(f"missing: {', '.join(missing)}" if missing else "all programs are installed")
    return 1 if missing else 0


def built(environment, project):
    """The folder with the builds of a project."""
    folder = Path(environment, project["digest"])
    if not (folder / "complete").exists():
        raise SystemExit(f"{project['name']} is not built here: run `catherd tool prepare` on the study")
    return folder


def packages(data):
    """The packages of Debian that a target needs: none, one, or a list of several."""
    found = data.get("debian", [])
    return found if isinstance(found, list) else [found]


def file_names(data):
    """The names of the files of a target, without folders."""
    names = list(data.get("files", {}))
    for debian in packages(data):
        names += debian["sources"] + debian.get("headers", [])
    return {Path(name).name for name in names}


def fetch(data, folder):
    """Writes the sources of a target into a folder and returns the paths to compile, with the flags."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in data["files"].items():
        if "/" in name or name.startswith("."):
            raise SystemExit(f"{name}: not the name of a file")
        (folder / name).write_text(text)
    sources = [str(folder / name) for name in data["files"] if name.endswith((".c", *CPP))]
    flags = ["-I", str(folder), *data.get("flags", [])]
    for debian in packages(data):
        tree = unpack(debian, folder)
        sources += [str(tree / name) for name in debian["sources"]]
        for name in debian.get("include", ["."]):
            flags += ["-I", str(tree / name)]
    return sources, flags


@functools.cache
def updated(apt):
    """The beginning of a command of apt with lists of its own, which are up to date: once for all targets."""
    for name in ("lists/partial", "cache/archives/partial", "parts"):
        (apt / name).mkdir(parents=True, exist_ok=True)
    try:
        own = Path(SOURCES).read_text()
    except OSError as error:
        raise SystemExit(f"{error}: packages are fetched from the servers that Debian 12 names there")
    (apt / "parts/own.sources").write_text(re.sub("^Types:.*$", "Types: deb-src", own, flags=re.M))
    options = [
        "apt-get", "-q", "-o", "Dir::Etc::sourcelist=/dev/null", "-o", f"Dir::Etc::sourceparts={apt}/parts",
        "-o", f"Dir::State::lists={apt}/lists", "-o", f"Dir::Cache={apt}/cache",
    ]
    check([*options, "update"], apt)
    return options


def unpack(debian, folder):
    """Downloads a source package of this version, with lists of its own, and checks its digests."""
    tree = folder / f"source-{debian['package']}"
    if tree.exists():
        return tree
    options = updated(folder.parent / "apt")
    downloads = folder / f"download-{debian['package']}"
    downloads.mkdir(exist_ok=True)
    check([*options, "source", "--download-only", f"{debian['package']}={debian['version']}"], downloads)
    for name, digest in debian["sha256"].items():
        found = hashlib.sha256((downloads / name).read_bytes()).hexdigest()
        if found != digest:
            raise SystemExit(f"{name}: SHA-256 {found}, and the descriptor says {digest}")
    description = next(name for name in debian["sha256"] if name.endswith(".dsc"))
    # Named when it is whole, so that no part of a tree remains of an interrupted command.
    part = folder / f"part-{debian['package']}"
    shutil.rmtree(part, ignore_errors=True)
    check(["dpkg-source", "--no-check", "-x", str(downloads / description), str(part)], folder)
    part.rename(tree)
    shutil.rmtree(downloads)
    return tree


def of_cpp(compiler):
    """The same compiler for C++: `clang++-14`, `afl-clang-fast++`."""
    program, *words = compiler
    return ["clang++-14" if program == "clang-14" else f"{program}++", *words]


def build(compiler, fetched, folder, name, objects):
    """Compiles and links a target, whose sources are C or C++."""
    sources, flags = fetched
    built = []
    for number, source in enumerate(sources):
        target = str(folder / f"{name}-{number}.o")
        own = of_cpp(compiler) if source.endswith(CPP) else compiler
        check([*own, *flags, "-c", source, "-o", target], folder)
        built.append(target)
    linker = of_cpp(compiler) if any(source.endswith(CPP) for source in sources) else compiler
    check([*linker, *built, *objects, "-lm", "-o", str(folder / name)], folder)
    for target in built:
        os.unlink(target)


def write_seeds(data, folder):
    """Writes the seed corpus of a target: texts, and bytes as hexadecimal digits."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in data.get("seeds", {}).items():
        (folder / f"text-{name}").write_text(text)
    for name, digits in data.get("seeds_hex", {}).items():
        (folder / f"bytes-{name}").write_bytes(bytes.fromhex(digits))
