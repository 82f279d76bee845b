//! Finished records on disk until the coordinator has acknowledged them.
//!
//! A file of the spool holds one commit request behind its SHA-256. It is written under
//! another name, synced and renamed, so a file is whole or it is not there; a torn one
//! (a dying disk) is set aside. Whatever is lost here is only time: the run is executed
//! again.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use catherd_experiments::Digest;
use catherd_proto::v1::CommitRequest;
use prost::Message;

/// The spool of one worker.
#[derive(Clone, Debug)]
pub(crate) struct Spool {
    folder: PathBuf,
    in_place: bool,
}

impl Spool {
    /// With `in_place` there are no threads that could wait for files.
    pub(crate) fn open(folder: &Path, in_place: bool) -> io::Result<Spool> {
        fs::create_dir_all(folder)?;
        Ok(Spool { folder: folder.to_owned(), in_place })
    }

    /// [`Spool::keep`] on a thread that may wait: a sync may take long, and heartbeats must
    /// not wait for it.
    pub(crate) async fn keep_aside(
        &self,
        request: CommitRequest,
    ) -> io::Result<(PathBuf, CommitRequest)> {
        let spool = self.clone();
        let keep = move || spool.keep(&request).map(|path| (path, request));
        if self.in_place { keep() } else { tokio::task::spawn_blocking(keep).await? }
    }

    /// Keeps a request; the file is to be removed when the request is acknowledged.
    pub(crate) fn keep(&self, request: &CommitRequest) -> io::Result<PathBuf> {
        // Tokens are never given twice, so neither are names.
        let first = request.completions.first().map_or(0, |completion| completion.token);
        let path = self.folder.join(format!("{first:020}.commit"));
        let temporary = path.with_extension("part");
        let mut file = File::create(&temporary)?;
        file.write_all(&sealed(request))?;
        file.sync_all()?;
        fs::rename(&temporary, &path)?;
        Ok(path)
    }

    /// Whether the end of a lease is here already.
    pub(crate) fn has(&self, token: u64) -> io::Result<bool> {
        let left = self.left_behind()?;
        let mut completions = left.iter().flat_map(|(_, request)| &request.completions);
        Ok(completions.any(|completion| completion.token == token))
    }

    /// The requests that an earlier process left behind, the oldest first.
    pub(crate) fn left_behind(&self) -> io::Result<Vec<(PathBuf, CommitRequest)>> {
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
            match whole(&fs::read(&path)?) {
                Some(request) => requests.push((path, request)),
                None => {
                    let file = path.display();
                    tracing::warn!("{file}: a torn spool file; set aside, its runs run again");
                    fs::rename(&path, path.with_extension("torn"))?;
                }
            }
        }
        requests.sort_by(|(one, _), (other, _)| one.cmp(other));
        Ok(requests)
    }
}

/// A request behind its digest.
pub(crate) fn sealed(request: &CommitRequest) -> Vec<u8> {
    let body = request.encode_to_vec();
    [&Digest::of(&body).0, body.as_slice()].concat()
}

/// The request, if these bytes are what [`sealed`] made.
pub(crate) fn whole(bytes: &[u8]) -> Option<CommitRequest> {
    let (digest, body) = bytes.split_first_chunk::<32>()?;
    (Digest::of(body).0 == *digest).then(|| CommitRequest::decode(body).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use catherd_proto::v1::Completion;
    use catherd_proto::v1::completion::End;

    #[test]
    fn survives_the_process_but_not_damage() {
        let folder = tempfile::tempdir().unwrap();
        let spool = Spool::open(folder.path(), true).unwrap();
        let request = |token| CommitRequest {
            worker: "w".into(),
            completions: vec![Completion { run: 1, token, end: None }],
        };
        let second = spool.keep(&request(12)).unwrap();
        spool.keep(&request(2)).unwrap();
        fs::write(folder.path().join("half.part"), b"x").unwrap();

        let again = Spool::open(folder.path(), true).unwrap();
        let left: Vec<_> = again.left_behind().unwrap().into_iter().map(|(_, r)| r).collect();
        assert_eq!(left, [request(2), request(12)]);
        assert!(!folder.path().join("half.part").exists());

        let mut bytes = fs::read(&second).unwrap();
        bytes.truncate(bytes.len() - 1);
        fs::write(&second, bytes).unwrap();
        assert_eq!(again.left_behind().unwrap().len(), 1);
        assert!(second.with_extension("torn").exists());
        assert_eq!(again.left_behind().unwrap().len(), 1);
    }

    /// Whatever a dying disk makes of a file, it is never taken for another request.
    #[test]
    fn a_torn_file_is_set_aside_wherever_it_is_torn() {
        let folder = tempfile::tempdir().unwrap();
        let spool = Spool::open(folder.path(), true).unwrap();
        let end = Some(End::Crash("why".into()));
        let completions = vec![Completion { run: 1, token: 2, end }];
        let path = spool.keep(&CommitRequest { worker: "w".into(), completions }).unwrap();
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
        let torn: Vec<_> = shorter.chain(flipped).chain(zeros).chain(longer).collect();
        let aside = path.with_extension("torn");
        for bytes in torn.iter().filter(|bytes| **bytes != whole) {
            fs::write(&path, bytes).unwrap();
            assert_eq!(spool.left_behind().unwrap(), []);
            assert_eq!(&fs::read(&aside).unwrap(), bytes);
            assert!(!path.exists());
        }
        assert!(torn.len() > 3 * 32);
        fs::write(&path, &whole).unwrap();
        assert_eq!(spool.left_behind().unwrap().len(), 1);
    }
}
