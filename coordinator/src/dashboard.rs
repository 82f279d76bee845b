//! The dashboard: one HTML page that shows the progress of the coordinator's studies. The same
//! figures are available as JSON and as Prometheus metrics.
//!
//! It only reads. On loopback it is open to all processes of the machine; beyond loopback it needs
//! the token of a viewer ([`gate`]).

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::fmt::Write as _;
use std::time::Duration;

use axum::extract::connect_info::IntoMakeServiceWithConnectInfo;
use axum::extract::{Query, State};
use axum::http::{StatusCode, header};
use axum::middleware;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{Html, IntoResponse};
use axum::routing::get;
use axum::{Json, Router};
use catherd_experiments::palette;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio_stream::wrappers::WatchStream;
use tokio_stream::{Stream, StreamExt};

use crate::connections::Peer;
use crate::ledger::{Phase, PhaseCounts};
use crate::progress::{ExecutingRun, Progress};
use crate::store::{StoreError, StoreReader, StoreUrl};

mod gate;

pub(crate) use gate::Gate;

const PAGE: &str = include_str!("dashboard/page.html");
const SCRIPT: &str = include_str!("dashboard/script.js");
const STYLE: &str = include_str!("dashboard/style.css");

/// The placeholder of the state in the page.
const STATE: &str = r#"id="state">null<"#;

/// Shortest time between two events of a page.
const EVENT_INTERVAL: Duration = Duration::from_millis(500);

/// Largest number of rows of `/missing`.
const MAX_MISSING: usize = 100;

#[derive(Clone)]
struct Source {
    progress: watch::Receiver<Progress>,
    url: StoreUrl,
}

/// The routes: `/` with its script and style, `/events` (server-sent events),
/// `/missing?study=NAME`, `/metrics` (Prometheus) and `/health`. Each request must pass the gate.
pub(crate) fn pages(
    progress: watch::Receiver<Progress>,
    url: StoreUrl,
    gate: Gate,
) -> IntoMakeServiceWithConnectInfo<Router, Peer> {
    Router::new()
        .route("/", get(page))
        .route("/script.js", get(([(header::CONTENT_TYPE, "text/javascript")], SCRIPT)))
        .route("/style.css", get(([(header::CONTENT_TYPE, "text/css")], STYLE)))
        .route("/events", get(events))
        .route("/missing", get(missing))
        .route("/metrics", get(metrics))
        .route("/health", get(health))
        .layer(middleware::from_fn_with_state(gate, Gate::pass))
        .with_state(Source { progress, url })
        .into_make_service_with_connect_info()
}

/// The page with the current state; later states follow through `/events`.
async fn page(State(source): State<Source>) -> Html<String> {
    // Names may contain any characters, for example the end tag of the element.
    let state = to_json(&source.progress.borrow()).to_string().replace('<', "\\u003c");
    Html(PAGE.replacen(STATE, &format!(r#"id="state">{state}<"#), 1))
}

async fn events(
    State(source): State<Source>,
) -> Sse<impl Stream<Item = Result<Event, Infallible>> + Send> {
    let snapshots = WatchStream::new(source.progress).throttle(EVENT_INTERVAL);
    let events =
        snapshots.map(|progress| Ok(Event::default().data(to_json(&progress).to_string())));
    Sse::new(events).keep_alive(KeepAlive::default())
}

#[derive(Deserialize)]
struct MissingQuery {
    study: String,
}

async fn missing(
    State(source): State<Source>,
    Query(MissingQuery { study }): Query<MissingQuery>,
) -> Result<Json<Value>, (StatusCode, String)> {
    let number = source.progress.borrow().study(&study).map(|study| study.number);
    let number = number.ok_or((StatusCode::NOT_FOUND, format!("there is no study `{study}`")))?;
    let read = move || StoreReader::open(&source.url)?.missing(number);
    let read: Result<Result<_, StoreError>, _> = tokio::task::spawn_blocking(read).await;
    let rows = match read {
        Ok(Ok(rows)) => rows,
        Ok(Err(error)) => return Err((StatusCode::SERVICE_UNAVAILABLE, error.to_string())),
        Err(panic) => return Err((StatusCode::INTERNAL_SERVER_ERROR, panic.to_string())),
    };
    let rows = rows.into_iter().take(MAX_MISSING).map(|row| {
        json!({
            "project": row.project, "algorithm": row.label, "phase": row.phase.name(),
            "runs": row.runs, "reason": row.reason,
        })
    });
    Ok(Json(rows.collect()))
}

/// 200 while the store works; 503 after an error, and while another coordinator leads.
async fn health(State(source): State<Source>) -> (StatusCode, String) {
    match &source.progress.borrow().last_error {
        None => (StatusCode::OK, "ok\n".to_owned()),
        Some(error) => (StatusCode::SERVICE_UNAVAILABLE, format!("{error}\n")),
    }
}

async fn metrics(State(source): State<Source>) -> impl IntoResponse {
    let text = to_prometheus(&source.progress.borrow());
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4")], text)
}

fn to_json(progress: &Progress) -> Value {
    let phases = |counts: &PhaseCounts| -> Value {
        Phase::ALL.iter().map(|&phase| (phase.name().to_owned(), json!(counts.of(phase)))).collect()
    };
    let studies = progress.studies.iter().map(|study| {
        let curves = progress.curves.iter().filter(|curve| curve.study == study.number);
        let curves = curves.map(|curve| {
            let means: Vec<f64> = curve.curve.means().collect();
            let position = curve.position.unwrap_or(usize::MAX);
            json!({
                "algorithm": curve.label, "runs": curve.curve.runs, "means": means,
                "colour": palette::colour(position), "dashes": palette::dashes(position),
            })
        });
        json!({
            "name": study.name, "state": study.state.name(), "runs": study.counts.planned(),
            "phases": phases(&study.counts), "coverage": study.mean_coverage,
            "curves": curves.collect::<Vec<_>>(),
        })
    });
    let executing: BTreeMap<&str, &ExecutingRun> =
        progress.executing.iter().map(|run| (&*run.worker, run)).collect();
    let workers = progress.workers.iter().map(|worker| {
        let executing =
            executing.get(&*worker.name).map(|ExecutingRun { run, progress, .. }| {
                json!({
                    "run": run, "work": progress.work, "covered": progress.covered,
                    "goals": progress.goals,
                })
            });
        json!({
            "name": worker.name, "leases": worker.leases, "runs": worker.accepted,
            "silent_ms": worker.silent.as_millis() as u64, "drained": worker.drained,
            "executing": executing,
        })
    });
    let unserved = progress.unserved.iter().map(|unserved| {
        json!({ "kind": unserved.kind, "engine": unserved.engine, "runs": unserved.runs })
    });
    json!({
        "unserved": unserved.collect::<Vec<_>>(),
        "last_error": progress.last_error, "runs_per_second": progress.runs_per_second,
        "eta_ms": progress.eta.map(|eta| eta.as_millis() as u64),
        "pending": progress.pending, "leased": progress.leased,
        "studies": studies.collect::<Vec<_>>(), "workers": workers.collect::<Vec<_>>(),
    })
}

fn to_prometheus(progress: &Progress) -> String {
    let mut text = String::from("# TYPE catherd_runs gauge\n");
    // Writing to a string does not fail.
    for study in &progress.studies {
        let name = study.name.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
        for phase in Phase::ALL {
            let (phase, runs) = (phase.name(), study.counts.of(phase));
            let _ = writeln!(text, "catherd_runs{{study=\"{name}\",phase=\"{phase}\"}} {runs}");
        }
    }
    let workers = progress.workers.len();
    let _ = writeln!(text, "# TYPE catherd_workers gauge\ncatherd_workers {workers}");
    let rate = progress.runs_per_second;
    let _ = writeln!(text, "# TYPE catherd_runs_per_second gauge\ncatherd_runs_per_second {rate}");
    let error = u8::from(progress.last_error.is_some());
    let _ = writeln!(text, "# TYPE catherd_store_error gauge\ncatherd_store_error {error}");
    text
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::coverage_curve::CoverageCurve;
    use crate::progress::{AlgorithmCurve, StudyProgress};
    use crate::store::StudyState;

    fn progress() -> Progress {
        let study = StudyProgress {
            number: 0,
            name: "s".into(),
            state: StudyState::Active,
            counts: PhaseCounts::default(),
            mean_coverage: None,
        };
        Progress { studies: vec![study], ..Progress::default() }
    }

    /// Curves have the colours that reports give the algorithms, in the order of the study.
    #[test]
    fn curves_have_the_colours_of_reports() {
        let curve = |label: &str, position| AlgorithmCurve {
            study: 0,
            label: label.to_owned(),
            position,
            curve: CoverageCurve::default(),
        };
        let curves = vec![curve("random", Some(0)), curve("mio", Some(1))];
        let json = to_json(&Progress { curves, ..progress() });
        for (number, label) in ["random", "mio"].into_iter().enumerate() {
            let curve = &json["studies"][0]["curves"][number];
            assert_eq!(curve["algorithm"], label);
            assert_eq!(curve["colour"], palette::colour(number));
            assert_eq!(curve["dashes"], palette::dashes(number));
        }
        assert!(SCRIPT.contains("stroke: colour, "));
        for text in [PAGE, SCRIPT, STYLE] {
            assert!(!text.to_lowercase().contains(&palette::colour(0).to_lowercase()));
        }
    }

    #[test]
    fn metrics_json_and_page_name_the_phases_alike() {
        let names: BTreeSet<&str> = Phase::ALL.map(Phase::name).into();
        let metrics = to_prometheus(&progress());
        let labels: BTreeSet<&str> =
            metrics.split("phase=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
        assert_eq!(labels, names);
        let json = to_json(&progress());
        let keys = json["studies"][0]["phases"].as_object().unwrap().keys();
        assert_eq!(keys.map(String::as_str).collect::<BTreeSet<_>>(), names);
        let used: BTreeSet<&str> = SCRIPT
            .split("phases.")
            .skip(1)
            .filter_map(|rest| rest.split(|c: char| !c.is_alphanumeric()).next())
            .collect();
        assert_eq!(used, names, "the page shows every phase");
        let words: BTreeSet<&str> = names
            .iter()
            .copied()
            .filter(|name| SCRIPT.contains(&format!("[\"{name}\", phases.{name}]")))
            .collect();
        assert_eq!(words, names, "the page calls every phase by its name");
    }
    #[tokio::test]
    async fn the_page_contains_the_state_and_nothing_inline() {
        let (_sender, progress) = watch::channel(Progress {
            studies: vec![StudyProgress {
                name: "</script>".into(),
                ..progress().studies[0].clone()
            }],
            ..Progress::default()
        });
        let url = StoreUrl::parse("study.db");
        let Html(page) = page(State(Source { progress, url })).await;
        assert!(page.contains(r#""name":"\u003c/script>""#), "{page}");
        assert!(!page.contains("<style") && !page.contains("<script>"), "{page}");
    }
}
