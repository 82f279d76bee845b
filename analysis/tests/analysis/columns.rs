//! Checks that `docs/columns.md` lists the columns of the tables in their order, with the types of
//! the Parquet columns.

use std::fs::{self, File};
use std::path::Path;

use catherd_analysis::{summarise, tidy};
use polars_arrow::datatypes::ArrowDataType;
use polars_parquet::read::{infer_schema, read_metadata};

const PAGE: &str = include_str!("../../../docs/columns.md");

fn documented(section: &str) -> Vec<(String, String)> {
    let start = PAGE.find(&format!("\n## {section}\n")).expect(section) + 4;
    let text = &PAGE[start..];
    let text = &text[..text.find("\n## ").unwrap_or(text.len())];
    let subject = crate::synthetic::subject();
    let units: Vec<&str> = subject.units.iter().map(|unit| unit.name.as_str()).collect();
    let levels: Vec<&str> = subject.mutant_levels.iter().map(String::as_str).collect();
    let mut columns = Vec::new();
    for line in text.lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let (name, kind) = (cells[1].trim_matches('`'), cells[2]);
        assert_eq!(cells.len(), 7, "{line}");
        assert!(!cells[5].is_empty(), "{name} has no meaning");
        let names: Vec<String> = if name.contains("<unit>") {
            units.iter().map(|unit| name.replace("<unit>", unit)).collect()
        } else if name.contains("<level>") {
            levels.iter().map(|level| name.replace("<level>", level)).collect()
        } else {
            vec![name.replace("<first unit>", units[0])]
        };
        columns.extend(names.into_iter().map(|name| (name, kind.to_owned())));
    }
    columns
}

fn kind(dtype: &ArrowDataType) -> &'static str {
    match dtype {
        ArrowDataType::Utf8View => "text",
        ArrowDataType::UInt32 => "u32",
        ArrowDataType::UInt64 => "u64",
        ArrowDataType::Float64 => "f64",
        other => panic!("{other:?}"),
    }
}

fn header(path: &Path) -> Vec<String> {
    let text = fs::read_to_string(path).unwrap();
    text.lines().next().unwrap().split(',').map(str::to_owned).collect()
}

#[test]
fn every_column_is_explained() {
    let place = tempfile::tempdir().unwrap();
    let dir = place.path();
    // With missing runs, the means over shared projects differ from the means over all projects.
    let runs = crate::synthetic::runs(3, 2).skip(2);
    tidy::write(dir, &crate::synthetic::subject(), runs, &[]).unwrap();
    summarise(dir).unwrap();
    let mut explained = Vec::new();
    for table in ["runs", "criteria", "timeline", "mutants", "skipped", "dropped"] {
        let documented = documented(table);
        let mut file = File::open(dir.join(table).with_extension("parquet")).unwrap();
        let schema = infer_schema(&read_metadata(&mut file).unwrap()).unwrap();
        let written: Vec<(String, String)> = schema
            .iter()
            .map(|(name, field)| (name.to_string(), kind(&field.dtype).to_owned()))
            .collect();
        assert_eq!(documented, written, "{table}");
        let names: Vec<String> = documented.into_iter().map(|column| column.0).collect();
        assert_eq!(names, header(&dir.join(table).with_extension("csv")));
        explained.push(format!("{table}.csv"));
    }
    for table in
        ["table6.csv", "decisions.csv", "comparisons.csv", "coverage.csv", "algorithms.csv"]
    {
        let names: Vec<String> = documented(table).into_iter().map(|column| column.0).collect();
        assert_eq!(names, header(&dir.join(table)), "{table}");
        explained.push(table.to_owned());
    }
    for entry in fs::read_dir(dir).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(!name.ends_with(".csv") || explained.contains(&name), "{name} is not explained");
    }
}

#[test]
fn projects_csv_is_explained() {
    let names: Vec<String> = documented("projects.csv").into_iter().map(|one| one.0).collect();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/format-1");
    assert_eq!(names, header(&folder.join("projects.csv")));
}
