//! Descriptions of packages and folders of results for other programs (RO-Crate and Zenodo).

use std::fs;
use std::path::Path;

use catherd_analysis_results::{CORPUS, MANIFEST, RESULT_FILES};
use catherd_cli_console::Failure;
use catherd_cli_console::terminal::plural;
use catherd_experiments::Plan;
use catherd_experiments::text::printable;
use serde_json::{Value, json};

use super::assembly::Assembly;

pub(super) const FILE: &str = "ro-crate-metadata.json";

pub(super) const ZENODO: &str = ".zenodo.json";

const CRATE: &str = "https://w3id.org/ro/crate/1.1";
const PROCESS: &str = "https://w3id.org/ro/wfrun/process/0.5";

const RESOURCE_USAGE: &str = "https://w3id.org/ro/terms/workflow-run#resourceUsage";

/// The bytes of a package must not depend on a clock.
const DATE: &str = "1980-01-01";

struct Described<'a> {
    plan: &'a Plan,
    name: String,
    text: String,
    records: &'static str,
    used: Vec<&'static str>,
    authors: &'a [String],
    machines: Vec<String>,
}

pub(super) fn description(
    study: &Assembly<'_>,
    names: impl IntoIterator<Item = String>,
) -> Result<Vec<u8>, Failure> {
    let mut files: Vec<Value> = names.into_iter().map(|name| file(&name)).collect();
    if study.with_projects {
        files.push(folder("projects/", "the projects of the study"));
    }
    if study.with_corpora {
        files.push(folder("corpora/", "manifests of the corpora that the projects are from"));
    }
    let is_result =
        |id: &str| id == "records.jsonl" || id.starts_with("results/") || id.starts_with("report/");
    let plan = study.plan;
    let mut used = vec!["study.toml", "corpus.csv"];
    used.extend(study.with_projects.then_some("projects/"));
    let described = Described {
        plan,
        name: format!("Replication package of the study {}", printable(&plan.name)),
        text: format!(
            "{}, with their records, tables and report. Digest of the results: {}.",
            size(plan),
            study.digest
        ),
        records: "records.jsonl has one line for each run that has ended, with host, worker and time.",
        used,
        authors: study.authors,
        machines: study.cost.machines(),
    };
    document(&described, files, &is_result)
}

/// Writes the description of a folder of results into the folder.
///
/// # Errors
/// If the file cannot be written.
pub fn describe_folder(path: &Path, plan: &Plan) -> Result<(), Failure> {
    let mut names: Vec<&str> =
        RESULT_FILES.into_iter().filter(|name| path.join(name).is_file()).collect();
    names.sort_unstable();
    let files = names.into_iter().map(file).collect();
    let described = Described {
        plan,
        name: format!("Results of the study {}", printable(&plan.name)),
        text: format!("{}, with tables of the runs that have ended.", size(plan)),
        records: "runs.csv has one row for each run that has ended, with host, worker and time.",
        used: vec![MANIFEST, CORPUS],
        authors: &[],
        machines: Vec::new(),
    };
    let is_result = |id: &str| ![MANIFEST, CORPUS].contains(&id);
    let bytes = document(&described, files, &is_result)?;
    let file = path.join(FILE);
    fs::write(&file, bytes).map_err(|cause| {
        Failure::new(format_args!("{}: {cause}", file.display())).hint(
            "check that you may write there and that the disk is not full, then repeat the command",
        )
    })
}

fn size(plan: &Plan) -> String {
    format!(
        "{} of the subject kind {} on {} with {} and {}",
        plural(plan.count(), "planned run"),
        printable(&plan.subject),
        plural(plan.projects.len(), "project"),
        plural(plan.algorithms.len(), "configuration"),
        plural(plan.seeds.len(), "seed")
    )
}

fn document(
    described: &Described<'_>,
    files: Vec<Value>,
    is_result: &dyn Fn(&str) -> bool,
) -> Result<Vec<u8>, Failure> {
    let Described { plan, name, text, records, used, authors: names, machines: words } = described;
    let reference = |entity: &Value| json!({ "@id": entity["@id"] });
    let parts: Vec<Value> = files.iter().map(reference).collect();
    let results = files.iter().filter(|file| is_result(file["@id"].as_str().unwrap_or_default()));
    let results: Vec<Value> = results.map(reference).collect();
    let authors = authors(plan, names);
    let by = single(authors.iter().map(reference).collect());
    let used: Vec<Value> = used.iter().map(|id| json!({ "@id": id })).collect();
    let machines = machines(words);
    let mut execution = json!({
        "@id": "#execution",
        "@type": "CreateAction",
        "name": "Execution of the study",
        "description": format!("The runs of the plan; {records}"),
        "instrument": { "@id": "#catherd" },
        "agent": by,
        "object": used,
        "result": results,
    });
    if !machines.is_empty() {
        execution["resourceUsage"] = single(machines.iter().map(reference).collect());
    }
    let mut graph = vec![
        json!({
            "@id": FILE,
            "@type": "CreativeWork",
            "about": { "@id": "./" },
            "conformsTo": { "@id": CRATE },
        }),
        json!({
            "@id": "./",
            "@type": "Dataset",
            "name": name,
            "description": text,
            "datePublished": DATE,
            "license": { "@id": "#licence" },
            "author": by,
            "conformsTo": { "@id": PROCESS },
            "hasPart": parts,
            "mentions": { "@id": "#execution" },
        }),
        json!({
            "@id": PROCESS,
            "@type": "CreativeWork",
            "name": "Process Run Crate",
            "version": "0.5",
        }),
        licence(),
        execution,
        software(plan),
    ];
    graph.extend(machines);
    graph.extend(authors);
    graph.extend(files);
    let context = json!([format!("{CRATE}/context"), { "resourceUsage": RESOURCE_USAGE }]);
    let document = json!({ "@context": context, "@graph": graph });
    let mut bytes = serde_json::to_vec_pretty(&document).map_err(Failure::new)?;
    bytes.push(b'\n');
    Ok(bytes)
}

/// The value of a property in JSON-LD: the element of a list with one element, otherwise the list.
fn single(mut values: Vec<Value>) -> Value {
    if values.len() == 1 { values.remove(0) } else { Value::from(values) }
}

fn software(plan: &Plan) -> Value {
    json!({
        "@id": "#catherd",
        "@type": "SoftwareApplication",
        "name": "catherd",
        "description": format!(
            "Runs large empirical studies of test generators; engine {}", printable(&plan.engine)
        ),
        "softwareVersion": env!("CARGO_PKG_VERSION"),
    })
}

fn machines(words: &[String]) -> Vec<Value> {
    let entity = |(number, machine): (usize, &String)| {
        let id = format!("#machine-{}", number + 1);
        let value = printable(machine);
        json!({ "@id": id, "@type": "PropertyValue", "name": "processor, cores and memory", "value": value })
    };
    words.iter().enumerate().map(entity).collect()
}

fn licence() -> Value {
    json!({
        "@id": "#licence",
        "@type": "CreativeWork",
        "name": "Licence",
        "description": "The authors of the study state it. The projects have licences of their own.",
    })
}

fn authors(plan: &Plan, names: &[String]) -> Vec<Value> {
    let person = |(number, name): (usize, &String)| {
        let id = format!("#author-{}", number + 1);
        json!({ "@id": id, "@type": "Person", "name": printable(name) })
    };
    match names {
        [] => vec![json!({
            "@id": "#authors",
            "@type": "Organization",
            "name": format!("The authors of the study {}", printable(&plan.name)),
        })],
        authors => authors.iter().enumerate().map(person).collect(),
    }
}

fn folder(id: &str, description: &str) -> Value {
    json!({ "@id": id, "@type": "Dataset", "name": id, "description": description })
}

fn file(name: &str) -> Value {
    let format = match name.rsplit_once('.').map(|(_, ending)| ending) {
        Some("csv") => "text/csv",
        Some("json") => "application/json",
        Some("jsonl") => "application/jsonl",
        Some("jsonld") => "application/ld+json",
        Some("md") => "text/markdown",
        Some("html") => "text/html",
        Some("svg") => "image/svg+xml",
        Some("pdf") => "application/pdf",
        Some("parquet") => "application/vnd.apache.parquet",
        Some("toml") => "application/toml",
        Some("tex") => "text/x-tex",
        Some("cff") => "application/yaml",
        _ => "text/plain",
    };
    // Identifiers are URLs, in which these characters must be escaped.
    let id = name.replace('%', "%25").replace(' ', "%20").replace('[', "%5B").replace(']', "%5D");
    json!({ "@id": id, "@type": "File", "name": name, "encodingFormat": format })
}

pub(super) fn zenodo(study: &Assembly<'_>) -> Result<Vec<u8>, Failure> {
    let creators: Vec<Value> = authors(study.plan, study.authors)
        .iter()
        .map(|author| json!({ "name": author["name"] }))
        .collect();
    let document = json!({
        "title": format!("Replication package of the study {}", printable(&study.plan.name)),
        "upload_type": "dataset",
        "description": "Records, tables and report of an empirical study. `catherd verify` checks them.",
        "creators": creators,
    });
    let mut bytes = serde_json::to_vec_pretty(&document).map_err(Failure::new)?;
    bytes.push(b'\n');
    Ok(bytes)
}
