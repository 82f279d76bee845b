//! Writes the files of commands.

use std::fs;
use std::io;
use std::path::Path;

use crate::Failure;

/// Checks that the folder of a file exists, and that no folder is at the path of the file. Commands
/// call this function before work whose result would be lost if the file could not be written.
///
/// # Errors
///
/// If the folder does not exist or is a file, or if the path names a folder.
pub fn check(file: &Path) -> Result<(), Failure> {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    let named = |problem: &str| Failure::new(format_args!("{}: {problem}", folder.display()));
    if folder.is_file() {
        return Err(named("is a file, not a folder")
            .hint(format!("name a file other than {}", file.display())));
    }
    let missing = |cause: io::Error| cause.kind() == io::ErrorKind::NotFound;
    if fs::metadata(folder).is_err_and(missing) {
        return Err(named("no such folder")
            .hint(format!("create it, or write to a file other than {}", file.display())));
    }
    if file.is_dir() {
        let failure = Failure::new(format_args!("{}: is a folder, not a file", file.display()));
        return Err(failure.hint("name a file in it"));
    }
    Ok(())
}

/// Returns the failure for a file that cannot be written.
pub fn unwritable(file: &Path, cause: &io::Error) -> Failure {
    check(file).err().unwrap_or_else(|| {
        Failure::new(format_args!("{}: {cause}", file.display()))
            .hint("name a file that you may write to, on a disk with free space")
    })
}

/// Writes a file.
///
/// # Errors
///
/// If the file cannot be written.
pub fn write(file: &Path, contents: impl AsRef<[u8]>) -> Result<(), Failure> {
    fs::write(file, contents).map_err(|cause| unwritable(file, &cause))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_name_the_folder_that_is_missing() {
        let folder = std::env::temp_dir().join(format!("catherd-output-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let file = folder.join("a.txt");
        write(&file, "a").unwrap();
        check(&file).unwrap();
        check(Path::new("a.txt")).unwrap();
        let said = |file: &Path| write(file, "a").unwrap_err().to_string();
        let missing = folder.join("missing");
        let expected = format!("{}: no such folder", missing.display());
        assert!(said(&missing.join("a.txt")).contains(&expected));
        assert!(said(&missing.join("a.txt")).contains("create it"));
        assert!(said(&file.join("b.txt")).contains("a.txt: is a file, not a folder"));
        assert!(said(&folder).contains("is a folder, not a file"));
        fs::remove_dir_all(&folder).unwrap();
    }
}
