//! The schemas of the CSV files in a package, as a Frictionless data package, from the
//! documentation of columns.

use std::fs::File;
use std::path::Path;

use catherd_cli_console::Failure;
use catherd_experiments::text::printable;
use serde_json::{Value, json};

use super::assembly::Assembly;

pub(super) const FILE: &str = "datapackage.json";

const COLUMNS: &str = include_str!("../../../../docs/columns.md");

struct Documented<'a> {
    /// Name of the column, in which angle brackets stand for any text.
    name: &'a str,
    kind: &'a str,
    unit: &'a str,
    meaning: &'a str,
}

pub(super) fn schemas(study: &Assembly<'_>, results: &Path) -> Result<Vec<u8>, Failure> {
    let mut resources = Vec::new();
    for (section, columns) in sections() {
        let file =
            if section.ends_with(".csv") { section.to_owned() } else { format!("{section}.csv") };
        let path = results.join(&file);
        let Ok(table) = File::open(&path) else { continue };
        let mut rows = csv::Reader::from_reader(table);
        let header = rows
            .headers()
            .map_err(|cause| Failure::new(format_args!("{}: {cause}", path.display())))?;
        let fields: Vec<Value> = header.iter().map(|name| field(name, &columns)).collect();
        resources.push(json!({
            "name": file.trim_end_matches(".csv").to_lowercase(),
            "path": format!("results/{file}"),
            "profile": "tabular-data-resource",
            "format": "csv",
            "mediatype": "text/csv",
            "encoding": "utf-8",
            "schema": { "fields": fields, "missingValues": [""] },
        }));
    }
    let document = json!({
        "name": package_name(&study.plan.name),
        "title": printable(&study.plan.name),
        "profile": "tabular-data-package",
        "resources": resources,
    });
    let mut bytes = serde_json::to_vec_pretty(&document).map_err(Failure::new)?;
    bytes.push(b'\n');
    Ok(bytes)
}

fn package_name(study: &str) -> String {
    let valid = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    study.chars().map(valid).collect()
}

fn field(name: &str, columns: &[Documented<'_>]) -> Value {
    let exact = columns.iter().find(|column| column.name == name);
    let Some(found) = exact.or_else(|| columns.iter().find(|column| stands_for(column.name, name)))
    else {
        return json!({ "name": name, "type": "any" });
    };
    let kind = match found.kind {
        "u32" | "u64" => "integer",
        "f64" => "number",
        _ => "string",
    };
    let unit =
        if found.unit.is_empty() { String::new() } else { format!(" (unit: {})", found.unit) };
    json!({ "name": name, "type": kind, "description": format!("{}{unit}", found.meaning) })
}

fn stands_for(documented: &str, name: &str) -> bool {
    let Some((before, rest)) = documented.split_once('<') else { return false };
    let Some((_, after)) = rest.split_once('>') else { return false };
    name.len() > before.len() + after.len() && name.starts_with(before) && name.ends_with(after)
}

fn sections() -> Vec<(&'static str, Vec<Documented<'static>>)> {
    let sections = COLUMNS.split("\n## ").skip(1).filter_map(|section| {
        let (title, text) = section.split_once('\n')?;
        let columns: Vec<Documented> = text.lines().filter_map(documented).collect();
        (!columns.is_empty()).then_some((title.trim(), columns))
    });
    sections.collect()
}

fn documented(line: &'static str) -> Option<Documented<'static>> {
    let mut cells = line.strip_prefix("| `")?.split(" | ").map(str::trim);
    let name = cells.next()?.trim_end_matches('`');
    let (kind, unit) = (cells.next()?, cells.next()?);
    let meaning = cells.last()?.trim_end_matches('|').trim_end();
    Some(Documented { name, kind, unit, meaning })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_have_the_types_of_the_page() {
        let sections = sections();
        let of = |name: &str| &sections.iter().find(|section| section.0 == name).unwrap().1;
        let runs = of("runs");
        assert_eq!(field("coverage", runs)["type"], "number");
        assert_eq!(field("seed", runs)["type"], "integer");
        assert_eq!(field("budget_executions", runs)["type"], "integer");
        assert_eq!(field("executions_to_full", runs)["type"], "integer");
        assert_eq!(field("project", runs)["type"], "string");
        assert!(field("wall_ms", runs)["description"].as_str().unwrap().contains("milliseconds"));
        assert!(sections.iter().any(|section| section.0 == "table6.csv"));
    }
}
