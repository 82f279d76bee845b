//! The dashboard: an HTML page that shows the progress of the coordinator's studies. The progress
//! is also available as JSON and as Prometheus metrics.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::Arc;
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
use crate::ids::StudyNumber;
use crate::ledger::{Phase, PhaseCounts, WorkerRule};
use crate::metrics::{self, Latencies};
use crate::progress::{ExecutingRun, Progress};
use crate::store::{StoreError, StoreReader, StoreUrl};

mod gate;
mod runs;

pub(crate) use gate::Gate;

const PAGE: &str = include_str!("dashboard/page.html");
const SCRIPT: &str = include_str!("dashboard/script.js");
const DRAWING: &str = include_str!("dashboard/drawing.js");
const DETAIL: &str = include_str!("dashboard/detail.js");
const STYLE: &str = include_str!("dashboard/style.css");

const STATE: &str = r#"id="state">null<"#;

/// Minimum time between two events that are sent to a page.
const EVENT_INTERVAL: Duration = Duration::from_millis(500);

const MAX_MISSING: usize = 100;

#[derive(Clone)]
struct Source {
    progress: watch::Receiver<Progress>,
    url: StoreUrl,
    latencies: Arc<Latencies>,
}

pub(crate) fn pages(
    progress: watch::Receiver<Progress>,
    url: StoreUrl,
    latencies: Arc<Latencies>,
    gate: Gate,
) -> IntoMakeServiceWithConnectInfo<Router, Peer> {
    Router::new()
        .route("/", get(page))
        .route("/script.js", get(script(SCRIPT)))
        .route("/drawing.js", get(script(DRAWING)))
        .route("/detail.js", get(script(DETAIL)))
        .route("/style.css", get(([(header::CONTENT_TYPE, "text/css")], STYLE)))
        .route("/events", get(events))
        .route("/missing", get(missing))
        .route("/cells", get(runs::cells))
        .route("/runs", get(runs::of_cell))
        .route("/run", get(runs::one))
        .route("/metrics", get(prometheus))
        .route("/health", get(health))
        .layer(middleware::from_fn_with_state(gate, Gate::pass))
        .with_state(Source { progress, url, latencies })
        .into_make_service_with_connect_info()
}

fn script(text: &'static str) -> impl IntoResponse + Clone + 'static {
    ([(header::CONTENT_TYPE, "text/javascript")], text)
}

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

type Refusal = (StatusCode, String);

impl Source {
    fn study(&self, name: &str) -> Result<StudyNumber, Refusal> {
        let number = self.progress.borrow().study(name).map(|study| study.number);
        number.ok_or((StatusCode::NOT_FOUND, format!("there is no study `{name}`")))
    }

    async fn read<T: Send + 'static>(
        self,
        read: impl FnOnce(StoreReader) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, Refusal> {
        let read = move || StoreReader::open(&self.url).and_then(read);
        match tokio::task::spawn_blocking(read).await {
            Ok(Ok(found)) => Ok(found),
            Ok(Err(error)) => Err((StatusCode::SERVICE_UNAVAILABLE, error.to_string())),
            Err(panic) => Err((StatusCode::INTERNAL_SERVER_ERROR, panic.to_string())),
        }
    }
}

#[derive(Deserialize)]
struct MissingQuery {
    study: String,
}

async fn missing(
    State(source): State<Source>,
    Query(MissingQuery { study }): Query<MissingQuery>,
) -> Result<Json<Value>, Refusal> {
    let number = source.study(&study)?;
    let rows = source.read(move |mut reader| reader.missing(number)).await?;
    let rows = rows.into_iter().take(MAX_MISSING).map(|row| {
        json!({
            "project": row.project, "algorithm": row.label, "phase": row.phase.name(),
            "runs": row.runs, "reason": row.reason,
        })
    });
    Ok(Json(rows.collect()))
}

/// 503 only if the store does not work.
async fn health(State(source): State<Source>) -> (StatusCode, String) {
    if source.progress.borrow().standby {
        return (StatusCode::OK, "standby\n".to_owned());
    }
    match &source.progress.borrow().last_error {
        None => (StatusCode::OK, "ok\n".to_owned()),
        Some(error) => (StatusCode::SERVICE_UNAVAILABLE, format!("{error}\n")),
    }
}

async fn prometheus(State(source): State<Source>) -> impl IntoResponse {
    let text = metrics::to_prometheus(&source.progress.borrow(), &source.latencies);
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4")], text)
}

fn to_json(progress: &Progress) -> Value {
    let phases = |counts: &PhaseCounts| -> Value {
        Phase::ALL.iter().map(|&phase| (phase.name().to_owned(), json!(counts.of(phase)))).collect()
    };
    let studies = progress.studies.iter().map(|study| {
        let curves: Vec<_> =
            progress.curves.iter().filter(|curve| curve.study == study.number).collect();
        let labels: Vec<&str> = curves.iter().map(|curve| curve.label.as_str()).collect();
        let styles = palette::styles(&labels, &BTreeMap::new());
        let curves = curves.into_iter().zip(styles).map(|(curve, style)| {
            let means: Vec<f64> = curve.curve.means().collect();
            json!({
                "algorithm": curve.label, "runs": curve.curve.runs, "means": means,
                "projects": curve.projects,
                "colour": palette::colour(style), "dashes": palette::dashes(style),
            })
        });
        json!({
            "name": study.name, "state": study.state.name(), "runs": study.counts.planned(),
            "phases": phases(&study.counts), "coverage": study.mean_coverage,
            "executions": study.executions,
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
            "host": worker.host, "rule": worker.rule.map(WorkerRule::name),
            "executing": executing,
        })
    });
    let unserved = progress.unserved.iter().map(|unserved| {
        json!({ "kind": unserved.kind, "engine": unserved.engine, "runs": unserved.runs })
    });
    let failures = progress.failures.iter().map(|count| {
        json!({
            "algorithm": count.label, "reason": count.reason, "attempts": count.attempts,
            "projects": count.projects,
        })
    });
    json!({
        "unserved": unserved.collect::<Vec<_>>(), "failures": failures.collect::<Vec<_>>(),
        "last_error": progress.last_error, "runs_per_second": progress.runs_per_second,
        "eta_ms": progress.eta.map(|eta| eta.as_millis() as u64),
        "pending": progress.pending, "leased": progress.leased,
        "studies": studies.collect::<Vec<_>>(), "workers": workers.collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::coverage_curve::CoverageCurve;
    use crate::ledger::Usage;
    use crate::progress::{AlgorithmCurve, StudyProgress};
    use crate::store::{Claim, StudyState};

    fn progress() -> Progress {
        let study = StudyProgress {
            number: 0,
            name: "s".into(),
            state: StudyState::Active,
            owner: String::new(),
            claim: Claim::default(),
            counts: PhaseCounts::default(),
            mean_coverage: None,
            executions: Some(300),
            usage: Usage::default(),
            left: None,
        };
        Progress { studies: vec![study], ..Progress::default() }
    }

    #[test]
    fn curves_have_the_colours_of_reports() {
        let curve = |label: &str, position| AlgorithmCurve {
            study: 0,
            label: label.to_owned(),
            position,
            projects: 0,
            curve: CoverageCurve::default(),
        };
        let curves = vec![curve("random", Some(0)), curve("mio", Some(1))];
        let json = to_json(&Progress { curves, ..progress() });
        let styles = palette::styles(&["random", "mio"], &BTreeMap::new());
        for (number, label) in ["random", "mio"].into_iter().enumerate() {
            let style = styles[number];
            let curve = &json["studies"][0]["curves"][number];
            assert_eq!(curve["algorithm"], label);
            assert_eq!(curve["colour"], palette::colour(style));
            assert_eq!(curve["dashes"], palette::dashes(style));
        }
        assert!(DRAWING.contains("stroke: colour, "));
        for text in [PAGE, SCRIPT, DRAWING, DETAIL, STYLE] {
            assert!(!text.to_lowercase().contains(&palette::colour(0).to_lowercase()));
        }
    }

    #[test]
    fn metrics_json_and_page_name_the_phases_alike() {
        let names: BTreeSet<&str> = Phase::ALL.map(Phase::name).into();
        let metrics = metrics::to_prometheus(&progress(), &Latencies::default());
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
        let Html(page) = page(State(Source { progress, url, latencies: Arc::default() })).await;
        assert!(page.contains(r#""name":"\u003c/script>""#), "{page}");
        assert!(!page.contains("<style") && !page.contains("<script>"), "{page}");
    }
}
