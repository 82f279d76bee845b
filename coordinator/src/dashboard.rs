//! The dashboard: one page that follows the coordinator, and the same figures for machines.
//!
//! It is served on loopback alone: it asks nobody who they are. From elsewhere it is
//! reached through a tunnel (`ssh -L`).

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::fmt::Write as _;
use std::time::Duration;

use axum::extract::{Query, State};
use axum::http::{StatusCode, header};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{Html, IntoResponse};
use axum::routing::get;
use axum::{Json, Router};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio_stream::wrappers::WatchStream;
use tokio_stream::{Stream, StreamExt};

use crate::ledger::{Phase, PhaseCounts};
use crate::progress::{ExecutingRun, Progress};
use crate::store::{Reader, StoreError, StoreUrl};

/// A page has news at most this often.
const PAUSE: Duration = Duration::from_millis(500);

#[derive(Clone)]
struct Source {
    progress: watch::Receiver<Progress>,
    url: StoreUrl,
}

/// The pages: `/`, `/events` (server-sent events), `/missing?study=NAME`, `/metrics`
/// (Prometheus), `/health`.
pub(crate) fn pages(progress: watch::Receiver<Progress>, url: StoreUrl) -> Router {
    Router::new()
        .route("/", get(page))
        .route("/events", get(events))
        .route("/missing", get(missing))
        .route("/metrics", get(metrics))
        .route("/health", get(health))
        .with_state(Source { progress, url })
}

/// The page as of now; what follows comes by `/events`.
async fn page(State(source): State<Source>) -> Html<String> {
    // Names may hold anything, the end of a script included.
    let state = in_json(&source.progress.borrow()).to_string().replace('<', "\\u003c");
    Html(include_str!("dashboard.html").replacen("null /* state */", &state, 1))
}

async fn events(
    State(source): State<Source>,
) -> Sse<impl Stream<Item = Result<Event, Infallible>> + Send> {
    let snapshots = WatchStream::new(source.progress).throttle(PAUSE);
    let events =
        snapshots.map(|progress| Ok(Event::default().data(in_json(&progress).to_string())));
    Sse::new(events).keep_alive(KeepAlive::default())
}

#[derive(Deserialize)]
struct Wanted {
    study: String,
}

async fn missing(
    State(source): State<Source>,
    Query(Wanted { study }): Query<Wanted>,
) -> Result<Json<Value>, (StatusCode, String)> {
    let number = source.progress.borrow().study(&study).map(|study| study.number);
    let number = number.ok_or((StatusCode::NOT_FOUND, format!("there is no study `{study}`")))?;
    let read = move || Reader::open(&source.url)?.missing(number);
    let read: Result<Result<_, StoreError>, _> = tokio::task::spawn_blocking(read).await;
    let rows = match read {
        Ok(Ok(rows)) => rows,
        Ok(Err(error)) => return Err((StatusCode::SERVICE_UNAVAILABLE, error.to_string())),
        Err(defect) => return Err((StatusCode::INTERNAL_SERVER_ERROR, defect.to_string())),
    };
    let rows = rows.into_iter().take(100).map(|row| {
        json!({
            "project": row.project, "algorithm": row.label, "phase": row.phase.name(),
            "runs": row.runs, "reason": row.reason,
        })
    });
    Ok(Json(rows.collect()))
}

/// 200 while the store works, 503 while it does not or another coordinator leads.
async fn health(State(source): State<Source>) -> (StatusCode, String) {
    match &source.progress.borrow().last_error {
        None => (StatusCode::OK, "ok\n".to_owned()),
        Some(last_error) => (StatusCode::SERVICE_UNAVAILABLE, format!("{last_error}\n")),
    }
}

async fn metrics(State(source): State<Source>) -> impl IntoResponse {
    let text = in_prometheus(&source.progress.borrow());
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4")], text)
}

const PHASES: [Phase; 5] = Phase::ALL;

fn in_json(progress: &Progress) -> Value {
    let phases = |counts: &PhaseCounts| -> Value {
        PHASES.iter().map(|&phase| (phase.name().to_owned(), json!(counts.of(phase)))).collect()
    };
    let studies = progress.studies.iter().map(|study| {
        let curves = progress.curves.iter().filter(|curve| curve.study == study.number);
        let curves = curves.map(|curve| {
            let means: Vec<f64> = curve.curve.means().collect();
            json!({ "algorithm": curve.label, "runs": curve.curve.runs, "means": means })
        });
        json!({
            "name": study.name, "state": study.state.name(), "runs": study.counts.planned(),
            "phases": phases(&study.counts), "coverage": study.mean_coverage,
            "curves": curves.collect::<Vec<_>>(),
        })
    });
    let running: BTreeMap<&str, &ExecutingRun> =
        progress.running.iter().map(|running| (&*running.worker, running)).collect();
    let workers = progress.workers.iter().map(|worker| {
        let run_progress = running.get(&*worker.name).map(|running| {
            let run_progress = &running.run_progress;
            json!({
                "run": running.run, "work": run_progress.work, "covered": run_progress.covered,
                "goals": run_progress.goals,
            })
        });
        json!({
            "name": worker.name, "leases": worker.leases, "runs": worker.accepted,
            "silent_ms": worker.silent.as_millis() as u64, "drained": worker.drained,
            "running": run_progress,
        })
    });
    json!({
        "last_error": progress.last_error, "runs_per_second": progress.runs_per_second,
        "eta_ms": progress.eta.map(|eta| eta.as_millis() as u64),
        "pending": progress.pending, "leased": progress.leased,
        "studies": studies.collect::<Vec<_>>(), "workers": workers.collect::<Vec<_>>(),
    })
}

fn in_prometheus(progress: &Progress) -> String {
    let mut text = String::from("# TYPE catherd_runs gauge\n");
    // Writing to a string does not fail.
    for study in &progress.studies {
        let name = study.name.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
        for phase in PHASES {
            let (phase, runs) = (phase.name(), study.counts.of(phase));
            let _ = writeln!(text, "catherd_runs{{study=\"{name}\",phase=\"{phase}\"}} {runs}");
        }
    }
    let workers = progress.workers.len();
    let _ = writeln!(text, "# TYPE catherd_workers gauge\ncatherd_workers {workers}");
    let rate = progress.runs_per_second;
    let _ = writeln!(text, "# TYPE catherd_runs_per_second gauge\ncatherd_runs_per_second {rate}");
    let last_error = u8::from(progress.last_error.is_some());
    let _ = writeln!(text, "# TYPE catherd_store_error gauge\ncatherd_store_error {last_error}");
    text
}
