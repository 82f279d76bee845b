//! Transfers between a session and its coordinator that also use the disk.

use std::io::ErrorKind::{QuotaExceeded, StorageFull};
use std::sync::Arc;

use catherd_experiments::Digest;
use catherd_proto::v1;
use tonic::Status;
use v1::completion::End;

use super::SessionError;
use crate::client::FailoverClient;
use crate::disk_cache::DiskCache;
use crate::executor::JobOutcome;
use crate::spool::Spool;

pub(super) fn completion_of(outcome: JobOutcome) -> End {
    match outcome {
        JobOutcome::Record(record) => match v1::Document::write(&record) {
            Ok(document) => End::Record(document),
            Err(error) => End::Crash(error.to_string()),
        },
        JobOutcome::Crash(reason) => End::Crash(reason),
        JobOutcome::DiskFull(_) | JobOutcome::Cancelled => End::Returned(v1::Returned {}),
    }
}

/// Reads a project from the disk cache, or fetches and caches it.
pub(super) async fn fetch(
    client: FailoverClient,
    cache: Option<DiskCache>,
    digest: Digest,
) -> Result<Arc<[u8]>, Status> {
    let Some(cache) = cache else { return client.fetch(digest).await };
    let defect = |defect: tokio::task::JoinError| Status::internal(defect.to_string());
    let own = cache.clone();
    let found = tokio::task::spawn_blocking(move || own.get(digest)).await.map_err(defect)?;
    if let Some(bytes) = found {
        return Ok(bytes);
    }
    let bytes = client.fetch(digest).await?;
    let fetched = bytes.clone();
    let kept = tokio::task::spawn_blocking(move || cache.insert(digest, &fetched)).await;
    if let Err(cause) = kept.map_err(defect)? {
        tracing::warn!("project {digest} cannot be cached on disk: {cause}");
    }
    Ok(bytes)
}

/// Commits completions, and keeps them on disk until they are acknowledged. If the disk is full,
/// they are kept only in memory.
pub(super) async fn deliver(
    client: FailoverClient,
    spool: Spool,
    request: v1::CommitRequest,
) -> Result<Vec<u64>, SessionError> {
    let tokens = request.completions.iter().map(|completion| completion.token).collect();
    let (stored, request) =
        spool.store_in_background(request).await.map_err(SessionError::Spool)?;
    let path = match stored {
        Ok(path) => Some(path),
        Err(cause) if matches!(cause.kind(), StorageFull | QuotaExceeded) => {
            tracing::warn!("records are kept in memory until they are committed: {cause}");
            None
        }
        Err(cause) => return Err(SessionError::Spool(cause)),
    };
    commit(&client, &request).await?;
    path.map_or(Ok(()), std::fs::remove_file).map_err(SessionError::Spool)?;
    Ok(tokens)
}

pub(super) async fn commit(
    client: &FailoverClient,
    request: &v1::CommitRequest,
) -> Result<(), Status> {
    let reply = client
        .call(|mut client| {
            let request = request.clone();
            async move { client.commit(request).await }
        })
        .await?;
    for (completion, verdict) in request.completions.iter().zip(&reply.verdicts) {
        let v1::Completion { run, token, .. } = *completion;
        let kind = verdict.kind().as_str_name();
        tracing::debug!(worker = request.worker, run, token, kind, "acknowledged");
        match verdict.kind() {
            v1::verdict::Kind::Accepted | v1::verdict::Kind::Repeated => {}
            _ => tracing::warn!("run {} does not count: {}", completion.run, verdict.reason),
        }
    }
    Ok(())
}
