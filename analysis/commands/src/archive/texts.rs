//! The documents of a package: README, citation, version and lock file.

use std::fmt::Write as _;

use catherd_analysis_archive::{Builder, Contents};
use catherd_cli_console::Failure;
use catherd_cli_console::terminal::plural;
use catherd_experiments::text::printable;
use catherd_experiments::{Algorithm, Plan};

use super::assembly::{Assembly, Facts};
use super::tools::Tools;
use crate::Program;

const MAX_CONFIGURATIONS: usize = 50;

pub(super) const README: &str = "README.md";

pub(super) fn add(builder: &mut Builder, study: &Assembly<'_>) -> Result<(), Failure> {
    builder.bytes("Cargo.lock", (study.program.lock_file)()?);
    builder.bytes("VERSION", version(study.program));
    builder.bytes("CITATION.cff", citation(study.plan, study.authors));
    Ok(())
}

fn version(program: &Program) -> String {
    let mut text = format!("catherd {}\n", env!("CARGO_PKG_VERSION"));
    for (kind, engine) in program.kinds.engines() {
        let _ = writeln!(text, "{kind} {engine}");
    }
    text
}

/// JSON is a subset of YAML.
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

/// Escapes a string for a table or list in Markdown.
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

/// `bytes` is the total size of the files that [`Assembly::describe`] does not add.
pub(super) fn readme(study: &Assembly<'_>, facts: &Facts, bytes: u64) -> String {
    let Assembly { plan, .. } = study;
    let Facts { states, summary } = facts;
    let name = cell(&plan.name);
    let mut text = format!("# {name}: replication package\n\n");
    if !states.is_complete() {
        let (ended, planned) = (states.ended(), states.planned);
        let _ = writeln!(
            text,
            "**Interim: {ended} of {planned} runs.** The study was not complete when this package was \
             written; tables and figures show only the runs that had ended.\n"
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
            format!(
                "level {}, after {} projects and then every {}",
                race.level, race.first, race.every
            ),
        );
    }
    if let Some(stop) = plan.stop {
        row(
            "ends when decided",
            format!(
                "margin {}, after {} seeds and then every {}",
                stop.margin, stop.first, stop.every
            ),
        );
    }
    row("runs planned", states.planned.to_string());
    row("with a record", format!("{} done, {} failed", states.done, states.failed));
    for (what, runs) in [
        ("quarantined", states.quarantined),
        ("not needed", states.dropped),
        ("not ended", states.pending),
    ] {
        if runs > 0 {
            row(what, runs.to_string());
        }
    }
    row("digest of the results", format!("`{}`", study.digest));
    text.push_str("\n## Configurations\n\n");
    for algorithm in plan.algorithms.iter().take(MAX_CONFIGURATIONS) {
        let _ = writeln!(text, "- {}", configuration(algorithm));
    }
    if let Some(more) = plan.algorithms.len().checked_sub(MAX_CONFIGURATIONS).filter(|n| *n > 0) {
        let _ = writeln!(text, "- and {more} more in `study.toml`");
    }
    text.push_str(&needs(study, bytes));
    text.push_str(&numbers(study));
    text.push_str(&files(study));
    text.push_str(&instructions(study));
    text
}

fn numbers(study: &Assembly<'_>) -> String {
    let program = if study.with_program { "./program/catherd" } else { "catherd" };
    let claims = match study.claims {
        Some(_) => format!(
            "`{program} claims results` lists the sentences of the paper with their verdicts, and the number of \
             runs of each.\n\n"
        ),
        None => String::new(),
    };
    let label = study.plan.algorithms.first().map_or("", |algorithm| algorithm.label.as_str());
    let replay = match study.with_projects {
        true => format!(
            "`{program} replay . RUN` executes the run with the id `RUN` again and compares its record.\n"
        ),
        false => String::new(),
    };
    format!(
        "
## From a number of the paper to its runs

{claims}Open `report/report.html` in a browser: a click on a number shows its runs, and a click on a run its \
coverage over time, its suite and its logs. In a terminal, in the folder of the unpacked package:

| command | what it does |
| --- | --- |
| `{program} report results --find \"93.5 % {label}\"` | lists the addresses of a number, here 93.5 % with the word `{label}` in its row |
| `{program} report results --explain algorithms/{label}/mean` | lists the runs of the number at an address |

{replay}",
        label = cell(label)
    )
}

fn needs(study: &Assembly<'_>, bytes: u64) -> String {
    let mut text = "\n## What a repetition takes\n\n| | |\n| --- | --- |\n".to_owned();
    let machine = match study.with_program {
        true => format!("Linux ({})", std::env::consts::ARCH),
        false => "any for which catherd can be built".to_owned(),
    };
    let disk =
        format!("{} MB for the unpacked package, as much again for its checks", megabytes(bytes));
    let mut rows = vec![("machine", machine), ("disk", disk)];
    rows.extend(study.cost.rows().map(|(what, value)| (what, cell(&value))));
    if let Some(tools) = study.tools {
        let source = if tools.wheels { "; `wheels/` has its packages" } else { "" };
        rows.extend(tools.needs.iter().map(|tool| ("tool", format!("{}{source}", cell(tool)))));
    }
    for (what, value) in rows {
        let _ = writeln!(text, "| {what} | {value} |");
    }
    text
}

/// A size in MB, rounded up.
fn megabytes(bytes: u64) -> u64 {
    bytes.div_ceil(1_000_000)
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

fn files(study: &Assembly<'_>) -> String {
    let Assembly { with_projects, with_corpora, with_program, tools, .. } = *study;
    let mut rows = vec![
        ("study.toml", "the study file: projects, configurations, seeds, budget"),
        ("corpus.csv", "the projects with their SHA-256 and, if known, their sources and licences"),
        (
            "records.jsonl",
            "the record of each run, one per line: coverage, timeline, test suite, resources",
        ),
        (
            "results/",
            "tables of the runs, in the form that `catherd report` reads; CSV and Parquet have the same rows",
        ),
        ("report/", "tables and figures; `report.html` has all of them"),
        ("archive.json", "all files with their SHA-256, and the counts of runs"),
        (
            "VERSION, Cargo.lock",
            "the catherd that wrote this package, with the versions of all its parts",
        ),
        ("CITATION.cff", "how to cite this study; `.zenodo.json` has the same for Zenodo"),
        (
            "ro-crate-metadata.json, datapackage.json, sbom.cdx.json",
            "the package, the columns of its tables and the parts of catherd, described for other programs \
             (RO-Crate, Frictionless, CycloneDX)",
        ),
    ];
    if with_program {
        rows.push(("program/", "catherd itself, with its licences and those of all its crates; `check` and `repeat` start it"));
    }
    if let Some(tools) = tools {
        rows.push((
            "tools/",
            "the external tools of the study, and a study file that names them there",
        ));
        if tools.wheels {
            rows.push((
                "wheels/",
                "the packages from which the tools are installed, without a network",
            ));
        }
    }
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

fn example(projects: &str, repeatable: usize, by_real_time: usize) -> String {
    let mut expected = "1 of 1 runs agree".to_owned();
    if repeatable > 1 {
        let _ = write!(expected, "; 1 of {repeatable} sampled");
    }
    if by_real_time > 0 {
        let _ = write!(expected, "; {by_real_time} skipped (may depend on the machine)");
    }
    format!(
        "
An example: `./repeat --sample 1{projects}` executes one run, and the last line of its output must be

```
{expected}
```
"
    )
}

fn scripts(study: &Assembly<'_>) -> String {
    let projects = if study.with_projects { "" } else { " --projects DIR" };
    let Assembly { plan, cost, .. } = study;
    let runs = plan.count();
    let example = match cost.repeatable {
        0 => String::new(),
        repeatable => example(projects, repeatable, cost.by_real_time),
    };
    format!(
        "
## Without any installation

Unpack the package on Linux ({arch}), then:

| command | what it does |
| --- | --- |
| `./check` | checks every file, and makes tables, figures and pages again to compare them |
| `./repeat --sample 5%{projects}` | executes a sample of the {runs} runs again and compares their records |
| `./repeat --all{projects}` | executes all of them: {time} on one core, and less on several |
{example}",
        time = cost.time(),
        arch = std::env::consts::ARCH
    )
}

fn instructions(study: &Assembly<'_>) -> String {
    let Assembly { plan, with_projects, with_program, .. } = *study;
    let own = if with_program { scripts(study) } else { String::new() };
    let study_file = study.tools.map_or_else(|| "study.toml".to_owned(), Tools::study);
    let prepare = match study.tools {
        Some(tools) if !tools.needs.is_empty() => {
            let wheels = if tools.wheels { " --wheels wheels" } else { "" };
            format!("catherd tool prepare {study_file}{wheels}\n")
        }
        _ => String::new(),
    };
    let programs =
        if study.program.kinds.runs_programs(&plan.subject) { " --run-programs" } else { "" };
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
        "{own}
## Checking it

With catherd {version}, on any machine:

```
catherd verify PACKAGE.zip --sample 5%{projects}{programs}
```

compares every file with `{file}`, makes every table, figure and page again from the records and compares
their bytes, and executes a sample of the runs again. Runs are functions of their inputs: each must give the same digest, unless
it depends on real time. {have}
## Repeating it

Unpack the package, then:

```
catherd report results -o ../report-again
{prepare}catherd run {study_file} --projects {folder} --out ../again
```

The first command makes the report of the records here. The last executes all runs anew; a package of a
complete repetition has the same digest of the results, unless runs depend on real time.

With `Cargo.lock` in the folder of the source code of catherd {version}, `cargo build --release --locked` builds
the same version.
"
    )
}
