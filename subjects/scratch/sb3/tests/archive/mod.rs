//! Archives for tests.

use std::io::{Cursor, Write};

use catherd_scratch_sb3::{Limits, Project, ReadError};
use zip::write::SimpleFileOptions;

pub(crate) fn archive(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in files {
        zip.start_file(*name, SimpleFileOptions::default()).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

pub(crate) fn read(json: &str) -> Result<Project, ReadError> {
    let bytes = archive(&[("project.json", json.as_bytes())]);
    Project::from_bytes("test.sb3", &bytes, &Limits::default())
}

#[allow(dead_code)]
pub(crate) fn cat(members: &str) -> String {
    format!(
        r#"{{"targets": [{{"isStage": true, "name": "Stage"}},
            {{"name": "Cat", {members}}}], "meta": {{"semver": "3.0.0"}}}}"#
    )
}
