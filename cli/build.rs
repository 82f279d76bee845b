//! Compresses `Cargo.lock`, which replication packages contain.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;

fn main() -> io::Result<()> {
    let folder = |name: &str| std::env::var_os(name).map(PathBuf::from).unwrap_or_default();
    let lock = folder("CARGO_MANIFEST_DIR").join("../Cargo.lock");
    println!("cargo::rerun-if-changed={}", lock.display());
    let bytes = fs::read(&lock)?;
    let file = File::create(Path::new(&folder("OUT_DIR")).join("Cargo.lock.gz"))?;
    let mut encoder = GzEncoder::new(file, Compression::best());
    encoder.write_all(&bytes)?;
    encoder.finish()?.sync_all()
}
