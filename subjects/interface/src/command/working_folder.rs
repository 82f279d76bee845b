//! The working folder of a run.

use std::collections::BTreeMap;
use std::fs::DirBuilder;
use std::io;
use std::path::{Path, PathBuf};

use super::descriptor::Descriptor;
use crate::runner::RunError;

pub(super) const PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

pub(super) fn new_folder(folder: &Path) -> Result<(), RunError> {
    let made = catherd_platform::remove_folder(folder).and_then(|()| make_folder(folder));
    made.map_err(|cause| RunError::Crashed(format!("{}: {cause}", folder.display())))
}

pub(super) fn make_folder(folder: &Path) -> io::Result<()> {
    catherd_platform::only_for_owner(DirBuilder::new().recursive(true)).create(folder)
}

/// The environment variables of every program.
pub(super) fn environment(folder: &Path) -> io::Result<BTreeMap<String, String>> {
    let mut variables = BTreeMap::from(
        [("PATH", PATH), ("LANG", "C.UTF-8"), ("TZ", "UTC")]
            .map(|(name, value)| (name.to_owned(), value.to_owned())),
    );
    for (name, inner) in [("HOME", "home"), ("TMPDIR", "tmp")] {
        let inner = folder.join(inner);
        make_folder(&inner)?;
        variables.insert(name.to_owned(), inner.display().to_string());
    }
    Ok(variables)
}

pub(super) fn project_file(folder: &Path, descriptor: Option<&Descriptor>, name: &str) -> PathBuf {
    let extension = match descriptor {
        Some(_) => ".toml".to_owned(),
        None => extension(name),
    };
    folder.join(format!("project{extension}"))
}

/// The extension of a name, with the dot. Unusual extensions are dropped.
fn extension(name: &str) -> String {
    let extension = Path::new(name).extension().and_then(|extension| extension.to_str());
    let harmless = |text: &&str| text.len() <= 10 && text.chars().all(char::is_alphanumeric);
    extension.filter(harmless).map(|text| format!(".{text}")).unwrap_or_default()
}
