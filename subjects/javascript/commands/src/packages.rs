//! `catherd dataset javascript`.

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use catherd_cli_console::terminal::{self, plural};
use catherd_cli_console::{Exit, Failure, exit_codes};
use catherd_javascript_kind::packages;
use clap::Args;

const EXAMPLES: &str = "\
Examples:
  npm install --ignore-scripts bintrees@1.0.2 denque@2.1.0
  catherd dataset javascript --packages list.txt --from . -o corpus

list.txt has one package per line:
  bintrees@1.0.2
  denque@2.1.0";

/// Packs npm packages from a folder into which they were installed: an archive for each package
/// with its dependencies, and packages.csv with their digests. Nothing is fetched.
#[derive(Args)]
#[command(after_help = format!(
    "{EXAMPLES}\n\n{}",
    exit_codes(&[(Exit::Incomplete, "a package could not be packed")])
))]
pub struct Arguments {
    /// File with one package per line: name@version
    #[arg(long, value_name = "FILE")]
    packages: PathBuf,

    /// Folder in which npm has installed the packages, with node_modules
    #[arg(long, value_name = "DIR", default_value = ".")]
    from: PathBuf,

    /// Folder of the corpus to write
    #[arg(long, short, value_name = "DIR")]
    out: PathBuf,
}

/// Executes the command.
///
/// # Errors
///
/// If the list of packages cannot be read or used, or a file cannot be written.
pub fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    let list = &arguments.packages;
    let unreadable = |cause: &dyn std::fmt::Display| {
        Failure::new(format!("{}: {cause}", list.display()))
            .hint("name a file with one package per line: name@version")
    };
    let text = fs::read_to_string(list).map_err(|error| unreadable(&error))?;
    let wanted = packages::list(&text).map_err(|cause| unreadable(&cause))?;
    let unwritable = |error: std::io::Error| {
        Failure::new(format!("{}: {error}", arguments.out.display()))
            .hint("with --out, name a folder that you may write to")
    };
    fs::create_dir_all(&arguments.out).map_err(unwritable)?;
    let mut table = "name,version,licence,file,digest\n".to_owned();
    let bar = terminal::bar(wanted.len());
    let mut failed = 0;
    for (name, version) in &wanted {
        let packed = packages::pack(&arguments.from, name, version).and_then(|packed| {
            let bytes = packed.package.to_archive().map_err(|error| error.to_string())?;
            Ok((packed, bytes))
        });
        match packed {
            Ok((packed, bytes)) => {
                let file = packed.file_name();
                fs::write(arguments.out.join(&file), bytes).map_err(unwritable)?;
                let licence = packed.licence.replace(['"', ',', '\n', '\r'], " ");
                let _ = writeln!(table, "{name},{version},{licence},{file},{}", packed.digest);
            }
            Err(cause) => {
                failed += 1;
                terminal::note(&format!("{name}@{version}: {cause}"));
            }
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    fs::write(arguments.out.join("packages.csv"), table).map_err(unwritable)?;
    let packed = wanted.len() - failed;
    terminal::print(&format!("{}: {}\n", arguments.out.display(), plural(packed, "package")));
    Ok(if failed == 0 { Exit::Success } else { Exit::Incomplete })
}
