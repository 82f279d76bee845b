//! The texts of a package: README, citation, version and lock file.

use std::fmt::Write as _;
use std::io::Read as _;

use catherd_analysis_archive::{Builder, Contents};
use catherd_cli_console::Failure;
use catherd_cli_console::terminal::plural;
use catherd_experiments::text::printable;
use catherd_experiments::{Algorithm, Plan};
use flate2::read::GzDecoder;

use super::records::Written;
use super::{Arguments, StudyFolder};
use crate::subjects;

/// `Cargo.lock` of this build, compressed: the versions of all crates that it is made of.
const LOCK_FILE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/Cargo.lock.gz"));

/// Most configurations that the README lists.
const MAX_CONFIGURATIONS: usize = 50;

/// Adds the texts to a package.
pub(super) fn add(
    builder: &mut Builder,
    study: &StudyFolder,
    records: &Written,
    summary: &[String],
    arguments: &Arguments,
) -> Result<(), Failure> {
    let mut lock = String::new();
    GzDecoder::new(LOCK_FILE).read_to_string(&mut lock).map_err(Failure::new)?;
    builder.bytes("Cargo.lock", lock);
    builder.bytes("VERSION", version());
    builder.bytes("CITATION.cff", citation(&study.plan, &arguments.author));
    let readme = readme(study, records, summary, arguments);
    builder.bytes("README.md", readme);
    Ok(())
}

/// Version of catherd, and the engine ids of its subject kinds.
fn version() -> String {
    let mut text = format!("catherd {}\n", env!("CARGO_PKG_VERSION"));
    for (kind, engine) in subjects::kinds().engines() {
        // Writing to a string does not fail.
        let _ = writeln!(text, "{kind} {engine}");
    }
    text
}

/// A text in quotation marks for YAML, of which JSON is a part.
fn quoted(text: &str) -> String {
    serde_json::Value::from(printable(text)).to_string()
}

/// The citation of a study (Citation File Format 1.2.0).
fn citation(plan: &Plan, authors: &[String]) -> String {
    let title = quoted(&format!("Replication package of the study {}", plan.name));
    let anonymous = [format!("The authors of the study {}", plan.name)];
    let authors = if authors.is_empty() { &anonymous[..] } else { authors };
    let authors: String =
        authors.iter().map(|author| format!("  - name: {}\n", quoted(author))).collect();
    let version = quoted(env!("CARGO_PKG_VERSION"));
    format!(
        "cff-version: 1.2.0\ntitle: {title}\ntype: dataset\nmessage: If you use these data, please \
         cite them, and the software that made them.\nauthors:\n{authors}references:\n  - type: \
         software\n    title: catherd\n    version: {version}\n    authors:\n      - name: The \
         catherd contributors\n"
    )
}

/// A text in a Markdown table or list.
fn cell(text: &str) -> String {
    let mut safe = String::new();
    for c in printable(text).chars() {
        if "\\`*_[]<>|#".contains(c) {
            safe.push('\\');
        }
        safe.push(c);
    }
    safe
}

fn readme(
    study: &StudyFolder,
    records: &Written,
    summary: &[String],
    arguments: &Arguments,
) -> String {
    let StudyFolder { plan, states, .. } = study;
    let name = cell(&plan.name);
    let mut text = format!("# {name}: replication package\n\n");
    // Writing to a string does not fail.
    if !states.is_complete() {
        let (ended, planned) = (states.ended(), states.planned);
        let _ = writeln!(
            text,
            "**Interim: {ended} of {planned} runs.** The study was not complete when this package was \
             written; tables and figures are those of the runs that had ended.\n"
        );
    }
    for sentence in summary {
        let _ = writeln!(text, "- {}", cell(sentence));
    }
    let _ = writeln!(text, "\n## The study\n\n| | |\n| --- | --- |");
    let mut row = |what: &str, value: String| {
        let _ = writeln!(text, "| {what} | {value} |");
    };
    row("subject kind", format!("{}, engine {}", cell(&plan.subject), cell(&plan.engine)));
    row("projects", plan.projects.len().to_string());
    row("configurations", plan.algorithms.len().to_string());
    row("seeds", plan.seeds.len().to_string());
    let mut budget: Vec<String> =
        plan.budget.work.iter().map(|(unit, limit)| format!("{limit} {}", cell(unit))).collect();
    budget.extend(plan.budget.wall_ms.map(|ms| format!("{ms} ms of real time")));
    row("budget of a run", budget.join(", "));
    if let Some(race) = plan.race {
        row(
            "race",
            format!("level {}, after {} projects and every {}", race.level, race.first, race.every),
        );
    }
    row("runs planned", states.planned.to_string());
    row("with a record", format!("{} done, {} failed", states.done, states.failed));
    for (what, runs) in [
        ("quarantined", states.quarantined),
        ("dropped by the race", states.dropped),
        ("not ended", states.pending),
    ] {
        if runs > 0 {
            row(what, runs.to_string());
        }
    }
    row("digest of the results", format!("`{}`", records.digest));
    text.push_str("\n## Configurations\n\n");
    for algorithm in plan.algorithms.iter().take(MAX_CONFIGURATIONS) {
        let _ = writeln!(text, "- {}", configuration(algorithm));
    }
    if let Some(more) = plan.algorithms.len().checked_sub(MAX_CONFIGURATIONS).filter(|n| *n > 0) {
        let _ = writeln!(text, "- and {more} more in `study.toml`");
    }
    text.push_str(&files(arguments.with_projects, !arguments.corpus.is_empty()));
    text.push_str(&instructions(plan, arguments.with_projects));
    text
}

fn configuration(algorithm: &Algorithm) -> String {
    let Algorithm { label, name, parameters } = algorithm;
    let parameters = serde_json::to_string(parameters).unwrap_or_default();
    let label = cell(label);
    match &*parameters {
        "{}" => format!("{label}: `{}` with default parameters", printable(name)),
        parameters => format!("{label}: `{}` with `{}`", printable(name), printable(parameters)),
    }
}

fn files(with_projects: bool, with_corpora: bool) -> String {
    let mut rows = vec![
        ("study.toml", "the study file: projects, configurations, seeds, budget"),
        (
            "corpus.csv",
            "the projects with their SHA-256, and where they are from as far as it is known",
        ),
        (
            "records.jsonl",
            "the record of each run, one a line: coverage, timeline, test suite, resources",
        ),
        (
            "results/",
            "tables of the runs, in the form that `catherd report` reads; CSV and Parquet have the same rows",
        ),
        ("report/", "tables and figures; `report.html` has all of them"),
        ("archive.json", "all files with their SHA-256, and the numbers of runs"),
        (
            "VERSION, Cargo.lock",
            "the catherd that wrote this package, with the versions of all its parts",
        ),
        ("CITATION.cff", "how to cite this study"),
    ];
    if with_projects {
        rows.insert(2, ("projects/", "the projects"));
    }
    if with_corpora {
        rows.insert(
            2,
            ("corpora/", "recipes and manifests of the corpora that the projects are from"),
        );
    }
    let mut text = "\n## Files\n\n| file | content |\n| --- | --- |\n".to_owned();
    for (name, content) in rows {
        let _ = writeln!(text, "| `{name}` | {content} |");
    }
    text
}

fn instructions(plan: &Plan, with_projects: bool) -> String {
    let programs = if subjects::runs_programs(&plan.subject) { " --run-programs" } else { "" };
    let projects = if with_projects { "" } else { " --projects DIR" };
    let have = match with_projects {
        true => String::new(),
        false => format!(
            "`DIR` is a folder with the {} of `corpus.csv`, which are found by their SHA-256.\n",
            plural(plan.projects.len(), "project")
        ),
    };
    let folder = if with_projects { "projects" } else { "DIR" };
    let file = Contents::FILE;
    let version = env!("CARGO_PKG_VERSION");
    format!(
        "
## Checking it

With catherd {version}, on any machine:

```
catherd verify PACKAGE.zip --sample 5%{projects}{programs}
```

compares every file with `{file}` and every record with its digest and its row in `results/runs.csv`, and executes
a sample of the runs again. Runs are functions of their inputs: each must give the same digest, unless
its budget is real time. {have}
## Repeating it

Unpack the package, then:

```
catherd report results -o report-again
catherd run study.toml --projects {folder} --out again
```

The first command makes the report of the records here. The second executes all runs anew; a package of a
complete repetition has the same digest of the results.

`Cargo.lock` next to the source code of catherd {version} builds the same version:
`cargo build --release --locked`.
"
    )
}
