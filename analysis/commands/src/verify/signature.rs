//! Checks the signature of a package, and whether the signer is trusted.

use std::path::{Path, PathBuf};

use catherd_analysis_archive::{
    AllowedSigners, Contents, MAX_SIGNATURE_BYTES, MAX_SIGNERS_BYTES, MAX_STATEMENT_BYTES,
    Signature, SignatureError, Statement,
};
use catherd_cli_console::Failure;
use catherd_experiments::Digest;
use catherd_experiments::text::printable;
use chrono::Utc;

use crate::archive::signing::{read_small, signature_file, statement_file};

pub(super) struct Trust<'a> {
    /// The file of the statement; `None` for the file next to the package.
    pub(super) statement: Option<&'a Path>,
    /// The file of trusted signers; `None` if the signer is not checked.
    pub(super) signers: Option<&'a Path>,
}

pub(super) fn check(
    package: &Path,
    contents: &Contents,
    archive: Option<Digest>,
    trust: &Trust<'_>,
) -> Result<String, Failure> {
    let signers = trust.signers.map(|path| signers(path).map(|read| (path, read))).transpose()?;
    let statement = trust.statement.map(Path::to_owned).or_else(|| found(package));
    let unsigned = |what: String| match &signers {
        None => Ok(format!("{what}\n")),
        Some(_) => Err(Failure::new(format_args!("{}: {what}", package.display())).hint(
            "get the statement and its signature from the authors, and give --statement FILE",
        )),
    };
    let Some(file) = statement else { return unsigned("not signed".to_owned()) };
    let signature = signature_file(&file);
    if signature.symlink_metadata().is_err() {
        return unsigned(format!("not signed: there is no {}", signature.display()));
    }
    let bytes = read_small(&file, MAX_STATEMENT_BYTES)?;
    let pem = read_small(&signature, MAX_SIGNATURE_BYTES)?;
    let signed = Signature::check(&pem, &bytes);
    let Signature { key } = signed.map_err(|cause| refused(&signature, &cause))?;
    let own = Statement::of(contents, archive).map_err(Failure::new)?;
    Statement::read(&bytes).and_then(|one| one.check(&own)).map_err(|cause| {
        Failure::new(format_args!("{}: the signed statement {cause}", file.display()))
            .hint("get the package, statement and signature again from where they are published")
    })?;
    let Some((path, signers)) = signers else {
        return Ok(format!("signed by the key {key}; --allowed-signers says whom to trust\n"));
    };
    match signers.names(&key, Utc::now()) {
        Some(names) => Ok(format!("signed by {}, key {key}\n", printable(names))),
        None => Err(Failure::new(format_args!(
            "{}: was made with the key {key}, which {} does not allow",
            signature.display(),
            path.display()
        ))
        .hint("ask the authors for their key; do not trust the package otherwise")),
    }
}

fn found(package: &Path) -> Option<PathBuf> {
    let path = match package.is_dir() {
        true => package.canonicalize().unwrap_or_else(|_| package.to_owned()),
        false => package.to_owned(),
    };
    let mut zip = path.clone().into_os_string();
    zip.push(".zip");
    let places = [statement_file(&path), statement_file(Path::new(&zip))];
    places.into_iter().find(|place| place.symlink_metadata().is_ok())
}

fn signers(path: &Path) -> Result<AllowedSigners, Failure> {
    let bytes = read_small(path, MAX_SIGNERS_BYTES)?;
    AllowedSigners::read(&String::from_utf8_lossy(&bytes)).map_err(|cause| {
        Failure::new(format_args!("{}: {cause}", path.display()))
            .hint("correct the line; man ssh-keygen describes files of allowed signers")
    })
}

fn refused(file: &Path, cause: &SignatureError) -> Failure {
    let hint = match cause {
        SignatureError::Kind(_) => {
            "verify the signature with ssh-keygen -Y verify -n catherd-package; move it away and verify the \
             package"
        }
        _ => "get the package, statement and signature again from where they are published",
    };
    Failure::new(format_args!("{}: {cause}", file.display())).hint(hint)
}
