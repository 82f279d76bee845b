//! Permissions of files.

use std::fs::OpenOptions;

/// Gives a file that is created these permission bits. Without effect on systems that have none.
#[cfg(unix)]
pub fn with_mode(options: &mut OpenOptions, mode: u32) -> &mut OpenOptions {
    use std::os::unix::fs::OpenOptionsExt;
    options.mode(mode)
}

/// Gives a file that is created these permission bits. Without effect on systems that have none.
#[cfg(not(unix))]
pub fn with_mode(options: &mut OpenOptions, _: u32) -> &mut OpenOptions {
    options
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_new_file_has_the_mode() {
        let path = std::env::temp_dir().join(format!("catherd-mode-{}", std::process::id()));
        let mut options = OpenOptions::new();
        let file = with_mode(options.write(true).create_new(true), 0o600).open(&path).unwrap();
        let mode = file.metadata().unwrap().permissions().mode();
        std::fs::remove_file(path).unwrap();
        assert_eq!(mode & 0o777, 0o600);
    }
}
