//! What is written to the terminal. Standard output has results, standard error has
//! everything else; a progress bar steps aside for both.

use std::io::{self, Write};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use clap::ValueEnum;
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use tracing_subscriber::EnvFilter;

/// The bars of this process, drawn on standard error.
pub(crate) static BARS: LazyLock<MultiProgress> = LazyLock::new(MultiProgress::new);

/// The variable that says what is logged, such as `catherd_worker=debug`.
const LOG: &str = "CATHERD_LOG";

/// Writes results. A reader that has left, as `head` does, is no error.
pub(crate) fn print(text: &str) {
    BARS.suspend(|| {
        let _ = io::stdout().lock().write_all(text.as_bytes());
        let _ = io::stdout().flush();
    });
}

/// So many things: `1 run`, `2 runs`.
pub(crate) fn plural(count: usize, thing: &str) -> String {
    format!("{count} {thing}{}", if count == 1 { "" } else { "s" })
}

/// How the log is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Lines for people
    Text,
    /// An object a line: timestamp, level, message and what belongs to it
    Json,
}

/// The log is for machines: nothing else may be on standard error.
static STRUCTURED: AtomicBool = AtomicBool::new(false);

/// Writes a line about what is going on.
pub(crate) fn note(line: &str) {
    if STRUCTURED.load(Ordering::Relaxed) {
        return tracing::info!("{line}");
    }
    // In one piece, so that lines of several processes do not mix.
    let _ = Stderr.write_all(format!("{line}\n").as_bytes());
}

/// Writes why the command ends.
pub(crate) fn fail(text: &str) {
    match STRUCTURED.load(Ordering::Relaxed) {
        true => tracing::error!("{text}"),
        false => note(text),
    }
}

/// A bar for something that takes a while; invisible where nobody looks.
pub(crate) fn bar(length: usize) -> ProgressBar {
    let bar = BARS.add(ProgressBar::new(length as u64));
    let style = ProgressStyle::with_template("{wide_bar:.cyan/dim} {pos}/{len} {eta}");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar
}

/// A sign of life for something of unknown length; invisible where nobody looks.
pub(crate) fn spinner(what: impl Into<String>) -> ProgressBar {
    let bar = BARS.add(ProgressBar::new_spinner());
    bar.set_message(what.into());
    bar.enable_steady_tick(Duration::from_millis(120));
    bar
}

/// Starts logging to standard error: what `level` says, unless the environment does.
pub(crate) fn log(level: &str) {
    log_as(level, Format::Text);
}

/// The same in a format.
pub(crate) fn log_as(level: &str, format: Format) {
    let filter = EnvFilter::try_from_env(LOG).unwrap_or_else(|_| EnvFilter::new(level));
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(|| Stderr);
    match format {
        Format::Text => log
            .with_ansi(io::IsTerminal::is_terminal(&io::stderr()))
            .with_target(false)
            .without_time()
            .init(),
        Format::Json => {
            STRUCTURED.store(true, Ordering::Relaxed);
            log.json().flatten_event(true).with_current_span(false).with_span_list(false).init();
        }
    }
}

/// Hours, minutes and seconds, such as `0:09` and `1:02:03`.
pub(crate) fn clock(time: Duration) -> String {
    let (minutes, seconds) = (time.as_secs() / 60, time.as_secs() % 60);
    match minutes / 60 {
        0 => format!("{minutes}:{seconds:02}"),
        hours => format!("{hours}:{:02}:{seconds:02}", minutes % 60),
    }
}

/// Standard error beside the bars. A reader that has left is no error: the log would panic.
struct Stderr;

impl Write for Stderr {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let _ = BARS.suspend(|| io::stderr().write_all(bytes));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}
