//! Uploads of projects. The total number of their bytes in memory is bounded.

use std::sync::Arc;
use std::time::Duration;

use catherd_proto::transport::{MAX_PROJECT, REQUEST_TIMEOUT};
use catherd_proto::v1::ProjectChunk;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tonic::{Status, Streaming};

/// Maximum size of all uploads that are in progress, in bytes.
const MAX_BYTES: u64 = MAX_PROJECT;

/// Number of bytes for one permit of the semaphore.
const UNIT: u64 = 1 << 10;

/// Time within which the next chunk must arrive. An upload that does not proceed would prevent
/// others.
const CHUNK_TIMEOUT: Duration = REQUEST_TIMEOUT;

/// Time within which a whole project must arrive.
const TIMEOUT: Duration = Duration::from_secs(600);

#[derive(Clone, Debug)]
pub(crate) struct Uploads(Arc<Semaphore>);

/// The bytes count towards the limit until the value is dropped.
pub(crate) struct Upload {
    pub(crate) bytes: Vec<u8>,
    _counted: OwnedSemaphorePermit,
}

impl Default for Uploads {
    fn default() -> Uploads {
        Uploads(Arc::new(Semaphore::new((MAX_BYTES / UNIT) as usize)))
    }
}

impl Uploads {
    /// `RESOURCE_EXHAUSTED` means that the uploads in progress leave no room, so the client should
    /// repeat the upload later.
    pub(crate) async fn receive(
        &self,
        chunks: &mut Streaming<ProjectChunk>,
    ) -> Result<Upload, Status> {
        let slow = |_| Status::deadline_exceeded("the project is arriving too slowly");
        tokio::time::timeout(TIMEOUT, self.receive_chunks(chunks)).await.map_err(slow)?
    }

    async fn receive_chunks(&self, chunks: &mut Streaming<ProjectChunk>) -> Result<Upload, Status> {
        let Some(first) = next(chunks).await? else {
            return Err(Status::invalid_argument("the upload has no chunk"));
        };
        let size = first.size;
        if size > MAX_PROJECT {
            let rule =
                format!("a project of {size} bytes is too large; the maximum is {MAX_PROJECT}");
            return Err(Status::out_of_range(rule));
        }
        let _counted = self.count(size)?;
        let mut bytes = Vec::with_capacity(size as usize);
        let mut chunk = Some(first);
        while let Some(ProjectChunk { size: stated, data }) = chunk {
            if stated != size || (bytes.len() + data.len()) as u64 > size {
                return Err(Status::invalid_argument(
                    "the size of a project differs from the stated size",
                ));
            }
            bytes.extend_from_slice(&data);
            chunk = next(chunks).await?;
        }
        Ok(Upload { bytes, _counted })
    }

    fn count(&self, size: u64) -> Result<OwnedSemaphorePermit, Status> {
        // The size is at most `MAX_PROJECT`, so the number of units fits into `u32`.
        let units = size.div_ceil(UNIT).max(1) as u32;
        self.0.clone().try_acquire_many_owned(units).map_err(|_| {
            Status::resource_exhausted(format!(
                "uploads of more than {} MiB would be in progress; repeat this one later",
                MAX_BYTES >> 20
            ))
        })
    }
}

async fn next(chunks: &mut Streaming<ProjectChunk>) -> Result<Option<ProjectChunk>, Status> {
    let slow =
        |_| Status::deadline_exceeded("the next chunk of the project did not arrive in time");
    tokio::time::timeout(CHUNK_TIMEOUT, chunks.message()).await.map_err(slow)?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bytes_of_all_uploads_are_bounded() {
        let uploads = Uploads::default();
        let first = uploads.count(300 << 20).unwrap();
        let second = uploads.count(200 << 20).unwrap();
        let refused = uploads.count(100 << 20).unwrap_err();
        assert_eq!(refused.code(), tonic::Code::ResourceExhausted);
        assert!(refused.message().contains("repeat this one later"), "{refused}");
        drop(uploads.count(0).unwrap());
        drop((first, second));
        drop(uploads.count(MAX_PROJECT).unwrap());
    }
}
