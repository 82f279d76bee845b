//! What travels between a session and its coordinator and touches the disk on the way: projects
//! come, ends of runs go.

use std::sync::Arc;

use catherd_experiments::Digest;
use catherd_proto::v1;
use tonic::Status;
use v1::completion::End;

use super::Trouble;
use crate::calls::Calls;
use crate::disk_cache::DiskCache;
use crate::executor::Ended;
use crate::spool::Spool;

pub(super) fn completion_of(ended: Ended) -> End {
    match ended {
        Ended::Record(record) => match v1::Document::write(&record) {
            Ok(document) => End::Record(document),
            Err(error) => End::Crash(error.to_string()),
        },
        Ended::Crash(reason) => End::Crash(reason),
        Ended::Stopped => End::Returned(v1::Returned {}),
    }
}

/// Gets a project from the disk or from the coordinator.
pub(super) async fn fetch(
    calls: Calls,
    cache: Option<DiskCache>,
    digest: Digest,
) -> Result<Arc<[u8]>, Status> {
    let Some(cache) = cache else { return calls.fetch(digest).await };
    let defect = |defect: tokio::task::JoinError| Status::internal(defect.to_string());
    let own = cache.clone();
    let found = tokio::task::spawn_blocking(move || own.get(digest)).await.map_err(defect)?;
    if let Some(bytes) = found {
        return Ok(bytes);
    }
    let bytes = calls.fetch(digest).await?;
    let fetched = bytes.clone();
    let kept = tokio::task::spawn_blocking(move || cache.keep(digest, &fetched)).await;
    if let Err(cause) = kept.map_err(defect)? {
        tracing::warn!("project {digest} is not kept on disk: {cause}");
    }
    Ok(bytes)
}

/// Keeps a commit on disk until it is acknowledged.
pub(super) async fn offer(
    calls: Calls,
    spool: Spool,
    request: v1::CommitRequest,
) -> Result<Vec<u64>, Trouble> {
    let tokens = request.completions.iter().map(|completion| completion.token).collect();
    let (path, request) = spool.keep_aside(request).await.map_err(Trouble::Spool)?;
    commit(&calls, &request).await?;
    std::fs::remove_file(path).map_err(Trouble::Spool)?;
    Ok(tokens)
}

/// Offers a commit until every part is acknowledged, whatever the verdict.
pub(super) async fn commit(calls: &Calls, request: &v1::CommitRequest) -> Result<(), Status> {
    let reply = calls
        .ask(|mut client| {
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
