//! Commands about models: `check`, `space`, `walk`, `compile`.

use std::fmt::Write as _;

use catherd_cli_console::{Exit, Failure, terminal};
use catherd_sequences_testing::{GraphFormat, Sampler, SpaceCounts, Walker, to_word};
use clap::Args;
use serde_json::json;

use crate::{Settings, explore, open, up_to, write};

/// Maximum number of independent walks that are made at a time.
const BATCH: u64 = 32_768;

/// Maximum number of events of independent walks that are made at a time.
const MAX_BATCH_EVENTS: u64 = 1 << 25;

/// Checks models: errors, likely mistakes, and sizes.
#[derive(Args)]
#[command(after_help = "\
Examples:
  catherd sequences check builtin:moodle
  catherd sequences check login.bp")]
pub struct Check {
    /// Models: files, or builtin:NAME
    #[arg(value_name = "MODEL", required = true)]
    models: Vec<String>,

    #[command(flatten)]
    settings: Settings,

    /// Print one JSON object per line, one for each model, instead of text
    #[arg(long)]
    json: bool,
}

/// Explores all states of a model and counts its traces.
#[derive(Args)]
#[command(after_help = "\
Examples:
  catherd sequences space builtin:moodle
  catherd sequences space builtin:abp --length 20
  catherd sequences space login.bp --dot login.dot")]
pub struct SpaceArguments {
    /// Model: a file, or builtin:NAME
    #[arg(value_name = "MODEL")]
    model: String,

    #[command(flatten)]
    settings: Settings,

    /// Maximum length of the traces that are counted, in events; needed for models with cycles
    #[arg(long, value_name = "N", value_parser = up_to(100_000))]
    length: Option<usize>,

    /// File for the graph in the format of Graphviz
    #[arg(long, value_name = "FILE")]
    dot: Option<String>,

    /// File for the graph as GraphML
    #[arg(long, value_name = "FILE")]
    graphml: Option<String>,

    /// File for the graph as JSON
    #[arg(long, value_name = "FILE")]
    graph: Option<String>,

    /// Print one JSON object instead of text
    #[arg(long)]
    json: bool,
}

/// Prints random traces of a model, one per line.
#[derive(Args)]
#[command(after_help = "\
Examples:
  catherd sequences walk builtin:abp -n 5
  catherd sequences walk builtin:moodle -n 100 --sampler traces > pool.txt")]
pub struct Walk {
    /// Model: a file, or builtin:NAME
    #[arg(value_name = "MODEL")]
    model: String,

    #[command(flatten)]
    settings: Settings,

    /// Number of traces
    #[arg(short = 'n', value_name = "N", default_value_t = 10)]
    number: u64,

    /// Seed of the random choices
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,

    /// How events are chosen: each enabled event is equally likely (steps), each trace that ends is
    /// equally likely (traces), events are as likely as their `weight` says (weighted), or events
    /// that earlier traces took least come first (avoid)
    #[arg(long, default_value = "steps", value_parser = Sampler::NAMES)]
    sampler: String,

    /// Maximum length of a trace, in events
    #[arg(long, value_name = "N", default_value_t = catherd_sequences_testing::DEFAULT_LENGTH, value_parser = up_to(10_000_000))]
    length: usize,

    /// Print one JSON object, in the format of test files, instead of lines
    #[arg(long)]
    json: bool,
}

/// Prints a model as tables in JSON (*.bp.json), which other programs can read.
#[derive(Args)]
#[command(after_help = "\
Examples:
  catherd sequences compile builtin:vault > vault.bp.json")]
pub struct Compile {
    /// Model: a file, or builtin:NAME
    #[arg(value_name = "MODEL")]
    model: String,

    /// Maximum number of states of a model with data
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    limit: usize,

    /// No effect: the tables are always JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn check(arguments: &Check) -> Result<Exit, Failure> {
    for path in &arguments.models {
        let subject = arguments.settings.open(path)?;
        let Some((model, space)) = &subject.model else { continue };
        let counts = space.counts(Some(0));
        if arguments.json {
            let value = json!({
                "model": path,
                "threads": model.program.thread_names().len(),
                "events": subject.events.len(),
                "states": counts.states,
                "edges": counts.edges,
                "deadlocks": counts.deadlocks,
                "truncated": counts.truncated,
                "warnings": model.warnings,
            });
            terminal::print(&(value.to_string() + "\n"));
            continue;
        }
        for warning in &model.warnings {
            terminal::note(&format!("{path}: warning: {warning}"));
        }
        let more = if space.truncated() { "more than " } else { "" };
        terminal::print(&format!(
            "{path}: {}, {}, {more}{}, {}, {}\n",
            terminal::plural(model.program.thread_names().len(), "b-thread"),
            terminal::plural(subject.events.len(), "event"),
            terminal::plural(counts.states, "state"),
            terminal::plural(counts.edges, "edge"),
            terminal::plural(counts.deadlocks, "deadlock"),
        ));
    }
    Ok(Exit::Success)
}

pub(crate) fn space(arguments: &SpaceArguments) -> Result<Exit, Failure> {
    let model = open(&arguments.model)?;
    let spinner = terminal::spinner("states");
    let space = explore(&model, &arguments.model, arguments.settings.limit)?;
    let counts = space.counts(arguments.length);
    spinner.finish_and_clear();
    let files = [
        (&arguments.dot, GraphFormat::Dot),
        (&arguments.graphml, GraphFormat::Graphml),
        (&arguments.graph, GraphFormat::Json),
    ];
    for (file, format) in files {
        if let Some(file) = file {
            write(file, &space.export(model.program.events(), format))?;
        }
    }
    let threads = model.program.thread_names().len();
    let names = model.program.events().names().len();
    let text = match arguments.json {
        true => to_json(&counts, threads, names),
        false => to_text(&counts, threads, names),
    };
    terminal::print(&text);
    Ok(if counts.truncated { Exit::Incomplete } else { Exit::Success })
}

fn to_json(counts: &SpaceCounts, threads: usize, names: usize) -> String {
    let traces = counts.traces.as_ref();
    let value = json!({
        "threads": threads,
        "events": counts.events,
        "names": names,
        "states": counts.states,
        "edges": counts.edges,
        "deadlocks": counts.deadlocks,
        "cyclic": counts.cyclic,
        "truncated": counts.truncated,
        "shortest": counts.shortest,
        "longest": counts.longest,
        "prefixes": traces.map(|traces| traces.prefixes.to_string()),
        "maximal_traces": traces.map(|traces| traces.maximal.to_string()),
    });
    value.to_string() + "\n"
}

fn to_text(counts: &SpaceCounts, threads: usize, names: usize) -> String {
    let or = |number: Option<usize>| number.map_or("none".to_owned(), |n| n.to_string());
    let traces = counts.traces.as_ref();
    let unbounded = || "unbounded: set --length".to_owned();
    let rows = [
        ("b-threads", threads.to_string()),
        ("events", counts.events.to_string()),
        ("event names", names.to_string()),
        ("states", format!("{}{}", counts.states, if counts.truncated { " and more" } else { "" })),
        ("edges", counts.edges.to_string()),
        ("deadlocks", counts.deadlocks.to_string()),
        ("cyclic", if counts.cyclic { "yes" } else { "no" }.to_owned()),
        ("shortest trace that ends", or(counts.shortest)),
        ("longest trace that ends", or(counts.longest)),
        ("traces that end", traces.map_or_else(unbounded, |t| t.maximal.to_string())),
        ("traces and their beginnings", traces.map_or_else(unbounded, |t| t.prefixes.to_string())),
    ];
    rows.iter().fold(String::new(), |mut text, (name, value)| {
        let _ = writeln!(text, "{name:<28} {value}");
        text
    })
}

pub(crate) fn walk(arguments: &Walk) -> Result<Exit, Failure> {
    let model = open(&arguments.model)?;
    let sampler = Sampler::named(&arguments.sampler).unwrap_or_default();
    // Explored states make the walks of `steps` faster, but exploring more states than the walks
    // have events would take more time than it saves.
    let most = arguments.number.saturating_mul(arguments.length as u64);
    let limit = match sampler {
        Sampler::Steps => usize::try_from(most).unwrap_or(usize::MAX).min(arguments.settings.limit),
        Sampler::Weighted => 0,
        Sampler::Traces | Sampler::Avoid => arguments.settings.limit,
    };
    let space = match limit {
        0 => None,
        limit => Some(explore(&model, &arguments.model, limit)?),
    };
    let walker =
        Walker::new(&model.program, space.as_ref(), sampler, arguments.seed, arguments.length);
    let walker = walker
        .map_err(|error| Failure::new(error).hint("leave --sampler out, or raise --limit"))?;
    let between = if arguments.json { "," } else { ", " };
    // Format each event with its separator only once, because printing takes most of the time.
    let written: Vec<String> = model
        .program
        .events()
        .list()
        .iter()
        .map(|event| match arguments.json {
            true => json!(event).to_string() + between,
            false => to_word(&event.to_string()) + between,
        })
        .collect();
    if arguments.json {
        let (model, seed) = (json!(model.name), arguments.seed);
        terminal::print(&format!("{{\"model\":{model},\"seed\":{seed},\"tests\":["));
    }
    // Make walks with the sampler `avoid` in one batch, because each walk depends on earlier walks.
    let batch = match sampler {
        Sampler::Avoid => arguments.number.max(1),
        _ => (MAX_BATCH_EVENTS / arguments.length.max(1) as u64).clamp(1, BATCH),
    };
    let mut text = String::new();
    for start in (0..arguments.number).step_by(batch as usize) {
        let end = start.saturating_add(batch).min(arguments.number);
        let (tests, _) = walker.walks(start..end).map_err(Failure::new)?;
        text.clear();
        for number in 0..tests.len() {
            if arguments.json {
                text += if start == 0 && number == 0 { "[" } else { ",[" };
            }
            let events = tests.get(number);
            events.iter().for_each(|&event| text += &written[usize::from(event)]);
            if !events.is_empty() {
                text.truncate(text.len() - between.len());
            }
            text.push(if arguments.json { ']' } else { '\n' });
        }
        let is_read = terminal::print_more(&text)
            .map_err(|cause| Failure::new(format!("standard output: {cause}")))?;
        if !is_read {
            return Ok(Exit::Success);
        }
    }
    if arguments.json {
        terminal::print("]}\n");
    }
    Ok(Exit::Success)
}

pub(crate) fn compile(arguments: &Compile) -> Result<Exit, Failure> {
    let model = open(&arguments.model)?;
    let tables = model.tables(arguments.limit).map_err(|cause| {
        Failure::new(format!("{}: {cause}", arguments.model))
            .hint("raise --limit, or correct the model")
    })?;
    terminal::print(&(tables + "\n"));
    Ok(Exit::Success)
}
