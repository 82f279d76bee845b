//! Uploads the projects of a plan, and submits the plan.

use std::collections::BTreeSet;
use std::time::Duration;

use catherd_analysis_results::Corpus;
use catherd_cli_console::Failure;
use catherd_cli_console::terminal::BARS;
use catherd_experiments::{CorpusDescription, Digest, Plan};
use catherd_proto::transport::{AuthChannel, PROJECT_CHUNK};
use catherd_proto::v1;
use catherd_proto::v1::studies_client::StudiesClient;
use indicatif::ProgressBar;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Code, Status};

use super::connection::Connection;
use super::style;
use crate::failure::Worded;

/// Maximum number of projects that are uploaded at the same time.
const UPLOADS: usize = 4;

/// Maximum number of projects in a request for the projects that the coordinator lacks.
const DIGESTS: usize = 4096;

/// Minimum and maximum pause before an upload is repeated.
const UPLOAD_PAUSE: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(5));

pub(super) fn upload_projects(
    connection: &mut Connection,
    corpus: &Corpus,
    plan: &Plan,
) -> Result<(), Failure> {
    let mut missing = BTreeSet::new();
    for page in plan.projects.chunks(DIGESTS) {
        let digests = page.iter().map(|project| project.digest.0.to_vec().into());
        let page = v1::ProjectDigests { digests: digests.collect() };
        missing
            .extend(connection.call(async |client| client.missing_projects(page).await)?.digests);
    }
    let bar = BARS.add(ProgressBar::new(missing.len() as u64));
    bar.set_style(style("{bar:30.cyan/dim} {pos} of {len} projects uploaded"));
    let uploads = corpus.projects().iter().filter_map(|project| {
        // Also read the projects that the coordinator already has, because the plan is wrong if a
        // file has changed.
        let bytes = match project.bytes() {
            Ok(bytes) => bytes,
            Err(cause) => return Some(Err(cause.worded())),
        };
        let digest = project.digest;
        let wanted = missing.contains(&digest.0[..]);
        wanted.then_some(Ok(move |client| send(client, digest, bytes)))
    });
    let uploaded = connection.in_parallel(UPLOADS, uploads, |(digest, stored)| {
        bar.inc(1);
        if stored == Some(digest) {
            return Ok(());
        }
        Err(Failure::new(format_args!("project {digest} was damaged during the upload"))
            .hint("repeat the command"))
    });
    bar.finish_and_clear();
    uploaded
}

/// Submits a plan whose projects have been uploaded, and waits until its runs are planned.
pub(super) fn submit(
    connection: &mut Connection,
    plan: &Plan,
    projects: &CorpusDescription,
    claim: v1::Claim,
) -> Result<v1::SubmitReply, Failure> {
    let plan = v1::Document::write(plan).map_err(Failure::new)?;
    let projects = v1::Document::write(projects).map_err(Failure::new)?;
    let (plan, projects, claim) = (Some(plan), Some(projects), Some(claim));
    let mut request = v1::SubmitRequest { plan, waiting: false, projects, claim };
    let bar = BARS.add(ProgressBar::no_length());
    bar.set_style(style("{bar:30.cyan/dim} {pos} of {len} runs planned"));
    let reply = loop {
        let submission = request.clone();
        let reply = connection.call(async |client| client.submit(submission).await)?;
        request.waiting = true;
        if reply.unplanned == 0 {
            break reply;
        }
        bar.set_length(reply.planned + reply.unplanned);
        bar.set_position(reply.planned);
    };
    bar.finish_and_clear();
    Ok(reply)
}

/// Returns `digest`, and the digest of the project that was stored.
async fn send(
    mut client: StudiesClient<AuthChannel>,
    digest: Digest,
    bytes: Vec<u8>,
) -> Result<(Digest, Option<Digest>), Status> {
    let size = bytes.len() as u64;
    let chunks: Vec<_> = bytes
        .chunks(PROJECT_CHUNK)
        .map(|data| v1::ProjectChunk { size, data: data.to_vec().into() })
        .collect();
    let mut pause = UPLOAD_PAUSE.0;
    loop {
        match upload(&mut client, chunks.clone()).await {
            Ok(stored) => {
                let stored = stored.into_inner().digests;
                let stored = stored.first().and_then(|stored| catherd_proto::digest(stored).ok());
                return Ok((digest, stored));
            }
            // Repeat the upload later, because other uploads use too much of the permitted memory.
            Err(status) if status.code() == Code::ResourceExhausted => {
                tokio::time::sleep(pause).await;
                pause = (2 * pause).min(UPLOAD_PAUSE.1);
            }
            Err(status) => return Err(status),
        }
    }
}

async fn upload(
    client: &mut StudiesClient<AuthChannel>,
    chunks: Vec<v1::ProjectChunk>,
) -> Result<tonic::Response<v1::ProjectDigests>, tonic::Status> {
    let (sender, receiver) = mpsc::channel(4);
    let sending = async move {
        for chunk in chunks {
            if sender.send(chunk).await.is_err() {
                return;
            }
        }
    };
    tokio::join!(sending, client.put_project(ReceiverStream::new(receiver))).1
}
