//! `catherd dataset describe`: describes projects.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use catherd_cli_console::terminal::{self, bar, plural};
use catherd_cli_console::{Exit, Failure, places};
use catherd_experiments::{Digest, Measure, Noun};
use catherd_scratch_corpora::{ProjectEntry, find};
use catherd_scratch_kind::ProjectMeasures;
use catherd_scratch_vm::{Compat, unsupported};
use clap::Args;

use super::Draw;
use crate::failure::Worded;

const TOP_OPCODES: usize = 15;

/// Describes projects: sizes, blocks, extensions, dead code, loose blocks, near-duplicates, and
/// blocks that the machine executes differently from Scratch.
///
/// Statements are executable blocks. Reachable statements are the goals of test generation, as the
/// Whisker paper counts them: without loose blocks and dead code. With --out, tables are written
/// as CSV and two figures as SVG.
#[derive(Args)]
#[command(after_help = "\
Examples:
  catherd dataset describe corpora/random1000
  catherd dataset describe corpora/random1000 --out description

Exit codes: 0 if all projects can be used, 2 if some cannot, 1 if the command failed.")]
pub struct Arguments {
    /// Corpora, project files, unpacked project folders, or folders of them
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,

    /// Folder for tables and figures
    #[arg(long, short, value_name = "DIR")]
    out: Option<PathBuf>,
}

#[derive(Default)]
struct OpcodeUse {
    projects: usize,
    uses: usize,
    /// How the VM executes the block differently from Scratch, if it does.
    unsupported: Option<&'static str>,
}

#[derive(Default)]
struct CorpusDescription {
    rows: Vec<ProjectMeasures>,
    opcodes: BTreeMap<String, OpcodeUse>,
}

pub(super) fn run(arguments: Arguments, draw: &Draw<'_>) -> Result<Exit, Failure> {
    for path in &arguments.paths {
        places::check(path, "give .sb3 files, unpacked project folders, or folders of them")?;
    }
    let found = find(&arguments.paths).map_err(Worded::worded)?;
    let bar = bar(found.projects.len());
    let mut description = CorpusDescription::default();
    for entry in &found.projects {
        description.add(entry)?;
        bar.inc(1);
    }
    bar.finish_and_clear();
    for skipped in &found.skipped {
        terminal::note(&format!("skipped: {skipped}"));
    }
    terminal::print(&description.text());
    if let Some(folder) = &arguments.out {
        description.write(folder)?;
        let size = Measure::new("reachable", "Reachable statements of a project");
        for figure in draw(folder, size, Noun::new("opcode", "opcodes"))? {
            terminal::print(&format!("{}\n", figure.display()));
        }
    }
    Ok(if found.skipped.is_empty() { Exit::Success } else { Exit::Incomplete })
}

impl CorpusDescription {
    fn add(&mut self, entry: &ProjectEntry) -> Result<(), Failure> {
        let project = entry.load().map_err(Worded::worded)?.project;
        let mut seen = BTreeSet::new();
        for block in project.targets.iter().flat_map(|target| &target.blocks) {
            let name = block.opcode_name();
            let usage = self.opcodes.entry(name.to_owned()).or_default();
            usage.uses += 1;
            usage.projects += usize::from(seen.insert(name));
            usage.unsupported = unsupported(block.opcode, Compat::Of2022);
        }
        self.rows.push(ProjectMeasures::of(&entry.name, Digest(entry.digest), &project));
        Ok(())
    }

    fn near_duplicates(&self) -> Vec<(Digest, Vec<&ProjectMeasures>)> {
        let mut groups: BTreeMap<Digest, Vec<&ProjectMeasures>> = BTreeMap::new();
        for row in &self.rows {
            groups.entry(row.structure).or_default().push(row);
        }
        let mut groups: Vec<_> = groups.into_iter().filter(|(_, rows)| rows.len() > 1).collect();
        groups.sort_by(|a, b| b.1.len().cmp(&a.1.len()).then(a.1[0].project.cmp(&b.1[0].project)));
        groups
    }

    fn extensions(&self) -> Vec<(&str, usize)> {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for name in self.rows.iter().flat_map(|row| row.extensions.split_whitespace()) {
            *counts.entry(name).or_default() += 1;
        }
        let mut counts: Vec<_> = counts.into_iter().collect();
        counts.sort_by_key(|&(name, count)| (std::cmp::Reverse(count), name));
        counts
    }

    fn opcodes(&self) -> Vec<(&str, &OpcodeUse)> {
        let mut opcodes: Vec<_> = self.opcodes.iter().map(|(name, n)| (&**name, n)).collect();
        opcodes.sort_by_key(|&(name, n)| (std::cmp::Reverse(n.projects), name));
        opcodes
    }

    fn text(&self) -> String {
        self.size_table()
            + &self.share_table()
            + &self.opcode_table()
            + &self.unsupported_table()
            + &self.near_duplicate_list()
    }

    fn size_table(&self) -> String {
        let n = self.rows.len();
        let mut text = format!(
            "{}\n\n{:<20} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8}\n",
            plural(n, "project"),
            "",
            "least",
            "25 %",
            "median",
            "mean",
            "75 %",
            "most"
        );
        let columns: [(&str, Column); 9] = [
            ("statements", |row| row.statements),
            ("reachable", |row| row.reachable),
            ("dead", |row| row.dead),
            ("loose blocks", |row| row.loose_blocks),
            ("blocks", |row| row.blocks),
            ("scripts", |row| row.scripts),
            ("sprites", |row| row.sprites),
            ("custom blocks", |row| row.custom_blocks),
            ("decisions", |row| row.decisions),
        ];
        for (name, column) in columns {
            let mut values: Vec<usize> = self.rows.iter().map(column).collect();
            values.sort_unstable();
            let at = |part: f64| values.get(((n.max(1) - 1) as f64 * part).round() as usize);
            let at = |part| at(part).copied().unwrap_or(0);
            let mean = values.iter().sum::<usize>() as f64 / n.max(1) as f64;
            let _ = writeln!(
                text,
                "{name:<20} {:>8} {:>8} {:>8} {mean:>8.1} {:>8} {:>8}",
                at(0.0),
                at(0.25),
                median(&values),
                at(0.75),
                at(1.0)
            );
        }
        text
    }

    fn percent(&self, count: usize) -> f64 {
        100.0 * count as f64 / self.rows.len().max(1) as f64
    }

    fn share_table(&self) -> String {
        let with =
            |test: fn(&ProjectMeasures) -> bool| self.rows.iter().filter(|row| test(row)).count();
        let mut text = "\nprojects with\n".to_owned();
        for (name, count) in [
            ("dead code", with(|row| row.dead > 0)),
            ("loose blocks", with(|row| row.loose_blocks > 0)),
            ("custom blocks", with(|row| row.custom_blocks > 0)),
            ("no reachable statement", with(|row| row.reachable == 0)),
            ("missing media", with(|row| row.missing_media > 0)),
            ("unsupported blocks", with(|row| row.unsupported_blocks > 0)),
        ] {
            let _ = writeln!(text, "{name:<28} {count:>6} {:>5.1} %", self.percent(count));
        }
        for (name, count) in self.extensions() {
            let name = format!("extension {name}");
            let _ = writeln!(text, "{name:<28} {count:>6} {:>5.1} %", self.percent(count));
        }
        text
    }

    fn opcode_table(&self) -> String {
        let mut text = String::new();
        let _ = writeln!(text, "\n{:<32} {:>8} {:>14} {:>8}", "opcode", "projects", "", "uses");
        for (name, n) in self.opcodes().into_iter().take(TOP_OPCODES) {
            let percent = self.percent(n.projects);
            let _ = writeln!(text, "{name:<32} {:>8} {percent:>12.1} % {:>8}", n.projects, n.uses);
        }
        text
    }

    fn unsupported_table(&self) -> String {
        let unsupported: Vec<_> = self
            .opcodes()
            .into_iter()
            .filter_map(|(name, n)| Some((name, n, n.unsupported?)))
            .collect();
        let mut text = String::new();
        if !unsupported.is_empty() {
            text += "\nnot as in Scratch\n";
        }
        for (name, n, reason) in unsupported {
            let _ = writeln!(text, "{name:<32} {:>8} {:>8}  {reason}", n.projects, n.uses);
        }
        text
    }

    fn near_duplicate_list(&self) -> String {
        let groups = self.near_duplicates();
        let copies: usize = groups.iter().map(|(_, rows)| rows.len() - 1).sum();
        let mut text = format!(
            "\nnear-duplicates: {} with the blocks of another project, in {}\n",
            plural(copies, "project"),
            plural(groups.len(), "group")
        );
        for (_, rows) in groups.iter().take(5) {
            let names: Vec<&str> = rows.iter().map(|row| &*row.project).take(6).collect();
            let more = rows.len() - names.len();
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            let _ = writeln!(text, "  {}{more}", names.join(", "));
        }
        text
    }

    fn write(&self, folder: &Path) -> Result<(), Failure> {
        fs::create_dir_all(folder).map_err(|error| write_failure(folder, error))?;
        self.write_projects(folder)?;
        write(folder, "opcodes.csv", |table| {
            table.write_record(["opcode", "projects", "uses", "unsupported"])?;
            self.opcodes().into_iter().try_for_each(|(name, n)| {
                table.serialize((name, n.projects, n.uses, n.unsupported))
            })
        })?;
        write(folder, "extensions.csv", |table| {
            table.write_record(["extension", "projects"])?;
            self.extensions().into_iter().try_for_each(|row| table.serialize(row))
        })?;
        write(folder, "near-duplicates.csv", |table| {
            table.write_record(["structure", "project"])?;
            let groups = self.near_duplicates();
            let rows = groups.iter().flat_map(|(sha, rows)| rows.iter().map(move |r| (sha, r)));
            rows.into_iter().try_for_each(|(sha, row)| table.serialize((sha, &row.project)))
        })
    }

    fn write_projects(&self, folder: &Path) -> Result<(), Failure> {
        write(folder, "projects.csv", |table| {
            for (number, row) in self.rows.iter().enumerate() {
                let (columns, cells): (Vec<_>, Vec<_>) = row.cells().into_iter().unzip();
                if number == 0 {
                    table.write_record(columns)?;
                }
                table.write_record(cells)?;
            }
            Ok(())
        })
    }
}

/// The mean of the two values in the middle if the number of values is even.
fn median(sorted: &[usize]) -> f64 {
    let middle = |n: usize| sorted.get(n / 2).copied().unwrap_or(0);
    (middle(sorted.len().saturating_sub(1)) + middle(sorted.len())) as f64 / 2.0
}

fn write(
    folder: &Path,
    name: &str,
    rows: impl FnOnce(&mut Table) -> csv::Result<()>,
) -> Result<(), Failure> {
    let path = folder.join(name);
    let mut table = csv::Writer::from_path(&path).map_err(|error| write_failure(&path, error))?;
    rows(&mut table).map_err(|error| write_failure(&path, error))?;
    table.flush().map_err(|error| write_failure(&path, error))
}

fn write_failure(path: &Path, error: impl std::fmt::Display) -> Failure {
    Failure::new(format_args!("{}: {error}", path.display()))
        .hint("check the folder given with --out: it must be writable and have free space")
}

type Table = csv::Writer<fs::File>;
type Column = fn(&ProjectMeasures) -> usize;

#[cfg(test)]
mod tests {
    use super::median;

    #[test]
    fn medians_are_in_the_middle() {
        assert_eq!([&[][..], &[7], &[65, 70], &[1, 2, 9]].map(median), [0.0, 7.0, 67.5, 2.0]);
    }
}
