//! Project bytes in the store: in parts, so that neither a row nor a transaction is large,
//! and named by the digest of the whole.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use catherd_experiments::Digest;
use catherd_proto::transport::PROJECT_CHUNK;

use super::database::{Database, Value};
use super::{Change, Reader, Store, StoreError};

/// A part of a project on its way into the store.
#[derive(Clone, Debug)]
pub struct ProjectChunk {
    project: Digest,
    number: usize,
    bytes: Vec<u8>,
    /// Bytes of all parts; the last part alone has it, and comes when the others are there.
    size: Option<usize>,
}

impl ProjectChunk {
    /// How many parts a project has; at least one.
    pub(crate) fn count(project: &[u8]) -> usize {
        project.len().div_ceil(PROJECT_CHUNK).max(1)
    }

    pub(crate) fn new(digest: Digest, project: &[u8], number: usize) -> ProjectChunk {
        let end = ((number + 1) * PROJECT_CHUNK).min(project.len());
        let bytes = project[number * PROJECT_CHUNK..end].to_vec();
        let size = (number + 1 == ProjectChunk::count(project)).then_some(project.len());
        ProjectChunk { project: digest, number, bytes, size }
    }
}

/// Writes parts; a part that is there already is written again.
pub(super) fn keep<'a>(
    database: &mut Database,
    parts: impl Iterator<Item = &'a ProjectChunk>,
) -> Result<(), StoreError> {
    let (mut rows, mut whole) = (Vec::new(), Vec::new());
    for ProjectChunk { project, number, bytes, size } in parts {
        let project = || Value::from(project.0.as_slice());
        rows.push(vec![project(), (*number as i64).into(), bytes.as_slice().into()]);
        whole.extend(size.map(|size| vec![project(), (size as i64).into()]));
    }
    database.execute(
        "insert into parts values (?1, ?2, ?3)
         on conflict (project, part) do update set bytes = excluded.bytes",
        &rows,
    )?;
    database.execute("insert into projects values (?1, ?2) on conflict do nothing", &whole)
}

impl Store {
    /// Keeps a project.
    ///
    /// # Errors
    ///
    /// When the database refuses.
    pub fn put_project(&mut self, bytes: &[u8]) -> Result<Digest, StoreError> {
        let digest = Digest::of(bytes);
        for number in 0..ProjectChunk::count(bytes) {
            self.apply(&[Change::ProjectChunk(ProjectChunk::new(digest, bytes, number))])?;
        }
        Ok(digest)
    }

    /// Takes over the projects that a store of version 2 had as files beside it. A file that
    /// is not what its name says is left where it is.
    pub(crate) fn migrate_project_files(&mut self, folder: &Path) -> Result<(), StoreError> {
        let Ok(entries) = fs::read_dir(folder) else { return Ok(()) };
        for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
            let Ok(bytes) = fs::read(&path) else { continue };
            if path.file_name() == Some(Digest::of(&bytes).to_string().as_ref()) {
                self.put_project(&bytes)?;
                // What cannot be removed is adopted again.
                let _ = fs::remove_file(path);
            }
        }
        let _ = fs::remove_dir(folder);
        Ok(())
    }
}

impl Reader {
    /// Those of these projects that the store lacks.
    ///
    /// # Errors
    ///
    /// When the database refuses.
    pub fn missing_projects(
        &mut self,
        projects: &[Digest],
    ) -> Result<BTreeSet<Digest>, StoreError> {
        let keys: Vec<Value> = projects.iter().map(|digest| digest.0.as_slice().into()).collect();
        let rows = self.database.lookup("select size from projects where digest = ?1", &keys)?;
        let missing_projects = projects.iter().zip(rows).filter(|(_, row)| row.is_none());
        Ok(missing_projects.map(|(digest, _)| *digest).collect())
    }

    /// The size of a project in bytes.
    ///
    /// # Errors
    ///
    /// [`StoreError::NoProject`], and when the database refuses.
    pub fn project_size(&mut self, project: Digest) -> Result<u64, StoreError> {
        let sql = "select size from projects where digest = ?1";
        let size = self.database.first(sql, &[project.0.as_slice().into()], |row| row.narrow())?;
        size.ok_or(StoreError::NoProject(project))
    }

    /// A part of a project that is there, by its number from 0. Receivers of all parts check
    /// the digest.
    ///
    /// # Errors
    ///
    /// When there is no such part or the database refuses.
    pub fn project_part(&mut self, project: Digest, part: u32) -> Result<Vec<u8>, StoreError> {
        let sql = "select bytes from parts where project = ?1 and part = ?2";
        let keys = [project.0.as_slice().into(), part.into()];
        let bytes = self.database.first(sql, &keys, |row| row.bytes())?;
        bytes.ok_or_else(|| StoreError::Damaged(format!("project {project} lacks part {part}")))
    }

    /// A whole project.
    ///
    /// # Errors
    ///
    /// [`StoreError::NoProject`], when the bytes are not those that were kept, and when the
    /// database refuses.
    pub fn project(&mut self, project: Digest) -> Result<Vec<u8>, StoreError> {
        let size = self.project_size(project)?;
        let mut bytes = self.project_part(project, 0)?;
        for part in 1.. {
            if bytes.len() as u64 >= size {
                break;
            }
            bytes.extend(self.project_part(project, part)?);
        }
        match Digest::of(&bytes) == project {
            true => Ok(bytes),
            false => Err(StoreError::Damaged(format!("project {project} is not what it was"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::StoreUrl;

    #[test]
    fn projects_beside_an_older_store_move_into_it() {
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
        let mut reader = Reader::open(&url).unwrap();
        assert_eq!(reader.project(digests[0]).unwrap(), b"");
        assert_eq!(reader.project(digests[1]).unwrap(), large);
        let other = Digest::of(b"whole");
        assert_eq!(reader.missing_projects(&[digests[0], other]).unwrap(), BTreeSet::from([other]));
        assert!(matches!(reader.project(other), Err(StoreError::NoProject(_))));
    }

    #[test]
    fn a_project_without_its_last_part_is_not_there_and_damage_is_seen() {
        let folder = tempfile::tempdir().unwrap();
        let url = StoreUrl::Sqlite(folder.path().join("study.db"));
        let mut store = Store::open(&url).unwrap();
        let project = vec![7; 2 * PROJECT_CHUNK];
        let digest = Digest::of(&project);
        let part = |number| Change::ProjectChunk(ProjectChunk::new(digest, &project, number));
        store.apply(&[part(0)]).unwrap();
        let mut reader = Reader::open(&url).unwrap();
        assert_eq!(reader.missing_projects(&[digest]).unwrap().len(), 1);
        store.apply(&[part(0), part(1)]).unwrap();
        assert_eq!(reader.project(digest).unwrap(), project);
        store.database.batch("update parts set bytes = x'07' where part = 1").unwrap();
        let damage = reader.project(digest).unwrap_err().to_string();
        assert!(damage.contains("lacks part 2"), "{damage}");
    }
}
