//! Writes a statement about a package, and its signature, next to the package.

use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};

use catherd_analysis_archive::{
    Contents, MAX_SIGNATURE_BYTES, PackageError, SignatureError, SigningKey, Statement,
};
use catherd_cli_console::Failure;
use catherd_cli_failures::Worded;
use catherd_experiments::Digest;

const STATEMENT: &str = ".intoto.json";

/// The extension that `ssh-keygen` uses.
const SIGNATURE: &str = ".sig";

pub(crate) fn statement_file(package: &Path) -> PathBuf {
    with_ending(package, STATEMENT)
}

pub(crate) fn signature_file(statement: &Path) -> PathBuf {
    with_ending(statement, SIGNATURE)
}

fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

pub(super) fn key(path: &Path) -> Result<SigningKey, Failure> {
    let text = read_small(path, MAX_SIGNATURE_BYTES)?;
    SigningKey::read(&text).map_err(|cause| of_key(path, &cause))
}

fn of_key(path: &Path, cause: &SignatureError) -> Failure {
    let hint = match cause {
        SignatureError::Encrypted | SignatureError::Kind(_) => {
            "use --statement instead of --sign, then sign what it writes: ssh-keygen -Y sign -n \
             catherd-package -f KEY PACKAGE.intoto.json"
        }
        _ => "make a key with ssh-keygen -t ed25519 -N '' -f KEY, and name KEY, not KEY.pub",
    };
    Failure::new(format_args!("{}: {cause}", path.display())).hint(hint)
}

/// Returns the written files.
pub(super) fn write(
    package: &Path,
    contents: &Contents,
    archive: Digest,
    key: Option<&SigningKey>,
) -> Result<Vec<PathBuf>, Failure> {
    let statement = Statement::of(contents, Some(archive)).and_then(|one| one.to_json());
    let statement = statement.map_err(Failure::new)?;
    let file = statement_file(package);
    let mut files = vec![(file.clone(), statement.clone())];
    let signature = signature_file(&file);
    match key.map(|key| key.sign(&statement)).transpose().map_err(Failure::new)? {
        Some(text) => files.push((signature, text.into_bytes())),
        // The signature of an earlier package does not belong to this statement.
        None => drop(fs::remove_file(signature)),
    }
    for (path, bytes) in &files {
        let written = fs::write(path, bytes);
        written.map_err(|cause| PackageError::Io { path: path.clone(), cause }.worded())?;
    }
    Ok(files.into_iter().map(|(path, _)| path).collect())
}

pub(crate) fn read_small(path: &Path, most: u64) -> Result<Vec<u8>, Failure> {
    let failed = |cause| {
        Failure::new(format_args!("{}: {cause}", path.display()))
            .hint("name a file that exists and that you may read")
    };
    let refused = |problem: &str| {
        Failure::new(format_args!("{}: {problem}", path.display())).hint("name another file")
    };
    if !fs::metadata(path).map_err(failed)?.is_file() {
        return Err(refused("is not a regular file"));
    }
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(failed)?;
    file.take(most + 1).read_to_end(&mut bytes).map_err(failed)?;
    match bytes.len() as u64 > most {
        true => Err(refused(&format!("has more than {most} bytes"))),
        false => Ok(bytes),
    }
}
