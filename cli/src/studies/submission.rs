//! Submission of a plan: the upload of its projects, and its planning.

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
use tonic::Code;

use super::connection::Connection;
use super::style;
use crate::failure::Worded;

/// First and longest wait before an upload is repeated.
const UPLOAD_PAUSE: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(5));

/// Uploads the projects of a plan that the coordinator lacks.
pub(super) fn upload_projects(
    connection: &mut Connection,
    corpus: &Corpus,
    plan: &Plan,
) -> Result<(), Failure> {
    let digests = plan.projects.iter().map(|project| project.digest.0.to_vec().into());
    let all = v1::ProjectDigests { digests: digests.collect() };
    let missing = connection.call(async |client| client.missing_projects(all).await)?.digests;
    let bar = BARS.add(ProgressBar::new(missing.len() as u64));
    bar.set_style(style("{bar:30.cyan/dim} {pos} of {len} projects uploaded"));
    for project in corpus.projects() {
        // Also of projects that are there already: a file that has changed makes the plan wrong.
        let bytes = project.bytes().map_err(Worded::worded)?;
        if missing.iter().any(|one| **one == project.digest.0) {
            bar.inc(1);
            send(connection, project.digest, &bytes)?;
        }
    }
    bar.finish_and_clear();
    Ok(())
}

/// Submits a plan whose projects have been uploaded, and waits until its runs are planned.
pub(super) fn submit(
    connection: &mut Connection,
    plan: &Plan,
    projects: &CorpusDescription,
) -> Result<v1::SubmitReply, Failure> {
    let plan = v1::Document::write(plan).map_err(Failure::new)?;
    let projects = v1::Document::write(projects).map_err(Failure::new)?;
    let mut request =
        v1::SubmitRequest { plan: Some(plan), waiting: false, projects: Some(projects) };
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

/// Uploads a project in chunks.
fn send(connection: &mut Connection, digest: Digest, bytes: &[u8]) -> Result<(), Failure> {
    let size = bytes.len() as u64;
    let chunks: Vec<_> = bytes
        .chunks(PROJECT_CHUNK)
        .map(|data| v1::ProjectChunk { size, data: data.to_vec().into() })
        .collect();
    let mut pause = UPLOAD_PAUSE.0;
    let stored = loop {
        let sent = connection.upload(async |client| upload(client, chunks.clone()).await);
        match sent {
            Ok(stored) => break stored,
            // Uploads of other clients leave no room now.
            Err(status) if status.code() == Code::ResourceExhausted => {
                std::thread::sleep(pause);
                pause = (2 * pause).min(UPLOAD_PAUSE.1);
            }
            Err(status) => return Err(connection.refused(&status)),
        }
    };
    if stored.digests.first().is_none_or(|stored| **stored != digest.0) {
        return Err(Failure::new(format_args!("project {digest} was damaged during the upload"))
            .hint("repeat the command"));
    }
    Ok(())
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
