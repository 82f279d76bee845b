//! Project bytes in the store: chunks, identified by the digest of the whole project.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use catherd_experiments::Digest;

use super::error::StoreError;
use super::model::{ProjectChunk, StoreChange};
use super::reader::StoreReader;
use super::row::Value;
use super::write::Store;

impl Store {
    /// Stores a project, and returns its digest.
    ///
    /// # Errors
    ///
    /// If the database returns an error.
    pub fn put_project(&mut self, bytes: &[u8]) -> Result<Digest, StoreError> {
        let digest = Digest::of(bytes);
        for number in 0..ProjectChunk::count(bytes) {
            self.apply(&[StoreChange::ProjectChunk(ProjectChunk::new(digest, bytes, number))])?;
        }
        Ok(digest)
    }

    /// Moves the projects that schema version 2 kept as files in `folder` into the store. An
    /// unusable file stays where it is.
    pub(crate) fn migrate_project_files(&mut self, folder: &Path) -> Result<(), StoreError> {
        let Ok(entries) = fs::read_dir(folder) else { return Ok(()) };
        for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
            let Ok(bytes) = fs::read(&path) else { continue };
            if path.file_name() == Some(Digest::of(&bytes).to_string().as_ref()) {
                self.put_project(&bytes)?;
                // A file that cannot be removed is stored again at the next start, without effect.
                let _ = fs::remove_file(path);
            }
        }
        // Removing the folder fails while it contains other files.
        let _ = fs::remove_dir(folder);
        Ok(())
    }
}

impl StoreReader {
    /// Returns the given projects that the store does not have.
    ///
    /// # Errors
    ///
    /// If the database returns an error.
    pub fn missing_projects(
        &mut self,
        projects: &[Digest],
    ) -> Result<BTreeSet<Digest>, StoreError> {
        let sizes = self.project_sizes(projects)?;
        let missing = projects.iter().zip(sizes).filter(|(_, size)| size.is_none());
        Ok(missing.map(|(digest, _)| *digest).collect())
    }

    /// The sizes of projects in bytes, in the order of `projects`. `None` means that the store does
    /// not have the project.
    ///
    /// # Errors
    ///
    /// If the database returns an error.
    pub fn project_sizes(&mut self, projects: &[Digest]) -> Result<Vec<Option<u64>>, StoreError> {
        let keys: Vec<Value> = projects.iter().map(|digest| digest.0.as_slice().into()).collect();
        let rows = self.database.lookup("select size from projects where digest = ?1", &keys)?;
        rows.into_iter().map(|row| row.map(|mut row| row.integer_as()).transpose()).collect()
    }

    /// The size of a project in bytes.
    ///
    /// # Errors
    ///
    /// If there is no such project, or if the database returns an error.
    pub fn project_size(&mut self, project: Digest) -> Result<u64, StoreError> {
        let sql = "select size from projects where digest = ?1";
        let key = [project.0.as_slice().into()];
        let size = self.database.first(sql, &key, |row| row.integer_as())?;
        size.ok_or(StoreError::NoProject(project))
    }

    /// The bytes of a chunk of a stored project. Chunks are numbered from 0. The caller must
    /// compare the whole project with its digest.
    ///
    /// # Errors
    ///
    /// If there is no such chunk or the database returns an error.
    pub fn project_chunk(&mut self, project: Digest, chunk: u32) -> Result<Vec<u8>, StoreError> {
        let sql = "select bytes from parts where project = ?1 and part = ?2";
        let keys = [project.0.as_slice().into(), chunk.into()];
        let bytes = self.database.first(sql, &keys, |row| row.bytes())?;
        let missing =
            || StoreError::Damaged(format!("chunk {chunk} of project {project} is missing"));
        bytes.ok_or_else(missing)
    }

    /// The bytes of a project.
    ///
    /// # Errors
    ///
    /// If the project is missing or damaged, or if the database returns an error.
    pub fn project(&mut self, project: Digest) -> Result<Vec<u8>, StoreError> {
        let size = self.project_size(project)?;
        let mut bytes = self.project_chunk(project, 0)?;
        for chunk in 1.. {
            if bytes.len() as u64 >= size {
                break;
            }
            bytes.extend(self.project_chunk(project, chunk)?);
        }
        if Digest::of(&bytes) == project {
            Ok(bytes)
        } else {
            Err(StoreError::Damaged(format!("the bytes of project {project} have changed")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::StoreUrl;
    use catherd_proto::transport::PROJECT_CHUNK;

    #[test]
    fn project_files_of_an_older_store_are_migrated() {
        let folder = tempfile::tempdir().unwrap();
        let files = folder.path().join("projects");
        fs::create_dir(&files).unwrap();
        let large: Vec<u8> = (0..PROJECT_CHUNK + 7).map(|byte| byte as u8).collect();
        let digests = [b"".as_slice(), &large].map(|project| {
            let digest = Digest::of(project);
            fs::write(files.join(digest.to_string()), project).unwrap();
            digest
        });
        let torn = files.join(Digest::of(b"whole").to_string());
        fs::write(&torn, b"who").unwrap();

        let url = StoreUrl::Sqlite(folder.path().join("study.db"));
        Store::open(&url).unwrap().migrate_project_files(&files).unwrap();
        assert_eq!(fs::read_dir(&files).unwrap().count(), 1);
        assert!(torn.exists());
        let mut reader = StoreReader::open(&url).unwrap();
        assert_eq!(reader.project(digests[0]).unwrap(), b"");
        assert_eq!(reader.project(digests[1]).unwrap(), large);
        let other = Digest::of(b"whole");
        assert_eq!(reader.missing_projects(&[digests[0], other]).unwrap(), BTreeSet::from([other]));
        assert!(matches!(reader.project(other), Err(StoreError::NoProject(_))));
    }

    #[test]
    fn a_project_without_its_last_chunk_is_missing_and_damage_is_detected() {
        let folder = tempfile::tempdir().unwrap();
        let url = StoreUrl::Sqlite(folder.path().join("study.db"));
        let mut store = Store::open(&url).unwrap();
        let project = vec![7; 2 * PROJECT_CHUNK];
        let digest = Digest::of(&project);
        let chunk = |number| StoreChange::ProjectChunk(ProjectChunk::new(digest, &project, number));
        store.apply(&[chunk(0)]).unwrap();
        let mut reader = StoreReader::open(&url).unwrap();
        assert_eq!(reader.missing_projects(&[digest]).unwrap().len(), 1);
        store.apply(&[chunk(0), chunk(1)]).unwrap();
        assert_eq!(reader.project(digest).unwrap(), project);
        store.database.batch("update parts set bytes = x'07' where part = 1").unwrap();
        let damage = reader.project(digest).unwrap_err().to_string();
        assert!(damage.contains("chunk 2 of project"), "{damage}");
    }
}
