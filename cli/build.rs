//! Compresses `Cargo.lock` and the licences of third-party code, which the program contains, and
//! passes the commit to the compiler.

#[path = "build/licences.rs"]
mod licences;

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use flate2::Compression;
use flate2::write::GzEncoder;

fn main() -> io::Result<()> {
    let folder = |name: &str| std::env::var_os(name).map(PathBuf::from).unwrap_or_default();
    let root = folder("CARGO_MANIFEST_DIR").join("..");
    let lock = root.join("Cargo.lock");
    println!("cargo::rerun-if-changed={}", lock.display());
    println!("cargo::rerun-if-changed={}", folder("CARGO_MANIFEST_DIR").join("build.rs").display());
    println!("cargo::rerun-if-changed={}", folder("CARGO_MANIFEST_DIR").join("build").display());
    let out = folder("OUT_DIR");
    compress(&fs::read(&lock)?, &out.join("Cargo.lock.gz"))?;
    let texts = licences::text(&root).unwrap_or_else(|cause| {
        println!("cargo::warning=licences of crates are left out: {cause}");
        String::new()
    });
    compress(texts.as_bytes(), &out.join("licences.txt.gz"))?;
    println!("cargo::rustc-env=CATHERD_COMMIT={}", commit());
    Ok(())
}

fn compress(bytes: &[u8], path: &Path) -> io::Result<()> {
    let mut encoder = GzEncoder::new(File::create(path)?, Compression::best());
    encoder.write_all(bytes)?;
    encoder.finish()?.sync_all()
}

/// The commit and its date as ` (1a2b3c4d5e, 2026-01-31)`, from `CATHERD_COMMIT` or git. Debug
/// builds do not ask git, because they would otherwise be repeated after each commit.
fn commit() -> String {
    println!("cargo::rerun-if-env-changed=CATHERD_COMMIT");
    if let Some(named) = std::env::var("CATHERD_COMMIT").ok().filter(|named| !named.is_empty()) {
        return format!(" ({named})");
    }
    if std::env::var("PROFILE").as_deref() != Ok("release") {
        return String::new();
    }
    let git = |arguments: &[&str]| {
        let output = Command::new("git").args(arguments).output().ok()?;
        let text = String::from_utf8(output.stdout).ok()?.trim().to_owned();
        (output.status.success() && !text.is_empty()).then_some(text)
    };
    if let Some(log) = git(&["rev-parse", "--path-format=absolute", "--git-path", "logs/HEAD"]) {
        println!("cargo::rerun-if-changed={log}");
    }
    let described = git(&["log", "-1", "--abbrev=10", "--format=%h, %cs"]);
    described.map(|commit| format!(" ({commit})")).unwrap_or_default()
}
