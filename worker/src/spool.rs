//! Stores finished records on disk until the coordinator has acknowledged them.
//!
//! Each file of the spool contains the SHA-256 of a commit request, followed by the request. The
//! file is written under a temporary name, synced and renamed, so it is either complete or absent.
//! If a file is lost, only time is lost, because its runs are executed again.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use catherd_experiments::Digest;
use catherd_proto::v1::CommitRequest;
use prost::Message;

/// The folder with the unacknowledged records of one worker.
#[derive(Clone, Debug)]
pub(crate) struct Spool {
    folder: PathBuf,
    blocking: bool,
}

impl Spool {
    /// A `blocking` spool writes files on the calling thread.
    pub(crate) fn open(folder: &Path, blocking: bool) -> io::Result<Spool> {
        fs::create_dir_all(folder)?;
        Ok(Spool { folder: folder.to_owned(), blocking })
    }

    /// A sync may take a long time, and heartbeats must not wait for it. Returns the request as
    /// well.
    pub(crate) async fn store_in_background(
        &self,
        request: CommitRequest,
    ) -> io::Result<(io::Result<PathBuf>, CommitRequest)> {
        let spool = self.clone();
        let store = move || (spool.store(&request), request);
        if self.blocking { Ok(store()) } else { Ok(tokio::task::spawn_blocking(store).await?) }
    }

    /// The caller removes the file when the request is acknowledged.
    pub(crate) fn store(&self, request: &CommitRequest) -> io::Result<PathBuf> {
        // Tokens are unique, so the first token of the request names the file.
        let first = request.completions.first().map_or(0, |completion| completion.token);
        let path = self.folder.join(format!("{first:020}.commit"));
        let temporary = path.with_extension("part");
        let mut file = File::create(&temporary)?;
        file.write_all(&encode(request))?;
        file.sync_all()?;
        fs::rename(&temporary, &path)?;
        Ok(path)
    }

    pub(crate) fn contains(&self, token: u64) -> io::Result<bool> {
        let unsent = self.unsent()?;
        let mut completions = unsent.iter().flat_map(|(_, request)| &request.completions);
        Ok(completions.any(|completion| completion.token == token))
    }

    /// The requests of an earlier process that were not acknowledged, in ascending order of their
    /// first tokens. Removes incomplete files, and renames damaged ones.
    pub(crate) fn unsent(&self) -> io::Result<Vec<(PathBuf, CommitRequest)>> {
        let mut requests = Vec::new();
        for entry in fs::read_dir(&self.folder)? {
            let path = entry?.path();
            match path.extension().and_then(|extension| extension.to_str()) {
                Some("commit") => {}
                Some("part") => {
                    fs::remove_file(&path)?;
                    continue;
                }
                _ => continue,
            }
            match decode(&fs::read(&path)?) {
                Some(request) => requests.push((path, request)),
                None => {
                    let file = path.display();
                    tracing::warn!(
                        "{file}: a damaged spool file, set aside; its runs are executed again"
                    );
                    fs::rename(&path, path.with_extension("damaged"))?;
                }
            }
        }
        requests.sort_by(|(one, _), (other, _)| one.cmp(other));
        Ok(requests)
    }
}

/// The digest precedes the request.
pub(crate) fn encode(request: &CommitRequest) -> Vec<u8> {
    let body = request.encode_to_vec();
    [&Digest::of(&body).0, body.as_slice()].concat()
}

/// `None` if the bytes are damaged.
pub(crate) fn decode(bytes: &[u8]) -> Option<CommitRequest> {
    let (digest, body) = bytes.split_first_chunk::<32>()?;
    (Digest::of(body).0 == *digest).then(|| CommitRequest::decode(body).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use catherd_proto::v1::Completion;
    use catherd_proto::v1::completion::End;

    #[test]
    fn requests_survive_the_process_but_not_damage() {
        let folder = tempfile::tempdir().unwrap();
        let spool = Spool::open(folder.path(), true).unwrap();
        let request = |token| CommitRequest {
            worker: "w".into(),
            completions: vec![Completion { run: 1, token, end: None }],
        };
        let second = spool.store(&request(12)).unwrap();
        spool.store(&request(2)).unwrap();
        fs::write(folder.path().join("half.part"), b"x").unwrap();

        let again = Spool::open(folder.path(), true).unwrap();
        let left: Vec<_> = again.unsent().unwrap().into_iter().map(|(_, r)| r).collect();
        assert_eq!(left, [request(2), request(12)]);
        assert!(!folder.path().join("half.part").exists());

        let mut bytes = fs::read(&second).unwrap();
        bytes.truncate(bytes.len() - 1);
        fs::write(&second, bytes).unwrap();
        assert_eq!(again.unsent().unwrap().len(), 1);
        assert!(second.with_extension("damaged").exists());
        assert_eq!(again.unsent().unwrap().len(), 1);
    }

    #[test]
    fn a_damaged_file_is_set_aside_wherever_the_damage_is() {
        let folder = tempfile::tempdir().unwrap();
        let spool = Spool::open(folder.path(), true).unwrap();
        let end = Some(End::Crash("why".into()));
        let completions = vec![Completion { run: 1, token: 2, end }];
        let path = spool.store(&CommitRequest { worker: "w".into(), completions }).unwrap();
        let whole = fs::read(&path).unwrap();

        let shorter = (0..whole.len()).map(|length| whole[..length].to_vec());
        let flipped = (0..whole.len()).map(|at| {
            let mut bytes = whole.clone();
            bytes[at] ^= 0x10;
            bytes
        });
        let zeros = (0..whole.len()).map(|from| {
            let mut bytes = whole.clone();
            bytes[from..].fill(0);
            bytes
        });
        let longer = [[whole.clone(), b"x".to_vec()].concat(), vec![0; 100], vec![0xff; 5000]];
        let damaged: Vec<_> = shorter.chain(flipped).chain(zeros).chain(longer).collect();
        let aside = path.with_extension("damaged");
        for bytes in damaged.iter().filter(|bytes| **bytes != whole) {
            fs::write(&path, bytes).unwrap();
            assert_eq!(spool.unsent().unwrap(), []);
            assert_eq!(&fs::read(&aside).unwrap(), bytes);
            assert!(!path.exists());
        }
        assert!(damaged.len() > 3 * 32);
        fs::write(&path, &whole).unwrap();
        assert_eq!(spool.unsent().unwrap().len(), 1);
    }
}
