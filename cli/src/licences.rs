//! `catherd licences`: prints the licences of the third-party parts of this program.

use std::io::Read as _;

use catherd_cli_console::{Exit, Failure, terminal};
use clap::Args;
use flate2::read::GzDecoder;

/// `Cargo.lock` of this build, compressed.
const LOCK_FILE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/Cargo.lock.gz"));

/// The text of all licences, compressed.
const TEXT: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/licences.txt.gz"));

/// Prints the licences of all parts of this program.
///
/// The output begins with a list of the crates and fonts with versions and licences, followed by
/// the text of each licence. Packages of catherd, and packages of studies that contain the program,
/// have the same text in a file.
#[derive(Args)]
#[command(after_help = "\
Examples:
  catherd licences | less
  catherd licences > THIRD-PARTY-LICENSES.txt")]
pub(crate) struct Arguments {}

pub(crate) fn run(_: &Arguments) -> Result<Exit, Failure> {
    terminal::print(&text()?);
    Ok(Exit::Success)
}

pub(crate) fn text() -> Result<String, Failure> {
    let mut text = String::new();
    GzDecoder::new(TEXT).read_to_string(&mut text).map_err(Failure::new)?;
    if text.is_empty() {
        return Err(Failure::new("this build of catherd does not know the licences of its crates")
            .hint("build catherd with cargo, or use a published one"));
    }
    Ok(text)
}

pub(crate) fn lock_file() -> Result<String, Failure> {
    let mut lock = String::new();
    GzDecoder::new(LOCK_FILE).read_to_string(&mut lock).map_err(Failure::new)?;
    Ok(lock)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_crate_has_a_licence_and_its_text() {
        let text = text().unwrap();
        let (list, texts) = text.split_once("\n-----").unwrap();
        let parts: Vec<&str> = list.lines().skip(2).filter(|line| !line.is_empty()).collect();
        assert!(parts.len() > 250, "{}", parts.len());
        let mut used = BTreeSet::new();
        for part in &parts {
            let (name, rest) = part.split_once(": ").unwrap();
            let (licence, numbers) = rest.split_once(" [").unwrap();
            assert!(!licence.is_empty(), "{name} has no licence");
            let numbers = numbers.trim_end_matches(']');
            assert!(!numbers.is_empty(), "{name} has no text");
            used.extend(numbers.split(", ").map(|number| number.parse::<usize>().unwrap()));
        }
        // Parts in other languages have their licences below the folders of crates.
        for name in [
            "libsqlite3-sys ",
            "polars-arrow ",
            "rquickjs-sys ",
            "zstd-sys ",
            "Liberation Sans: OFL",
        ] {
            assert!(parts.iter().any(|part| part.starts_with(name)), "{name}");
        }
        for holder in ["Fabrice Bellard", "Meta Platforms", "SIL OPEN FONT LICENSE"] {
            assert!(texts.contains(holder), "{holder}");
        }
        let listed = used.iter().all(|number| texts.contains(&format!("\n[{number}] ")));
        assert!(listed && used.last() == Some(&used.len()), "{used:?}");
        // The crates of this program are not listed.
        assert!(!parts.iter().any(|part| part.starts_with("catherd-")));
    }
}
