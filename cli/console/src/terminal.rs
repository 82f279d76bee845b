//! Output to the terminal: results go to standard output, everything else to standard error.
//! Progress bars are hidden while a line is written.

use std::io::{self, IsTerminal, Write};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use catherd_experiments::text::printable_lines;
use clap::ValueEnum;
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use tracing_subscriber::EnvFilter;

/// The bars of this process, drawn on standard error.
pub static BARS: LazyLock<MultiProgress> = LazyLock::new(MultiProgress::new);

/// Environment variable with the log filter, such as `catherd_worker=debug`.
pub const LOG: &str = "CATHERD_LOG";

/// Writes results.
pub fn print(text: &str) {
    // Ignore the error, because the reader may have closed the pipe, as `head` does.
    let _ = write(text);
}

/// Prints a part of a long output. Returns `false` if the reader has closed the pipe.
///
/// # Errors
///
/// If the text cannot be written for another reason, such as a full disk.
pub fn print_more(text: &str) -> io::Result<bool> {
    match write(text) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(error),
    }
}

fn write(text: &str) -> io::Result<()> {
    BARS.suspend(|| {
        let mut stdout = io::stdout().lock();
        // Terminals interpret escape sequences, which names from files and other computers may
        // contain. Files and pipes get the unchanged text, because it may be JSON.
        match stdout.is_terminal() {
            true => stdout.write_all(printable_lines(text).as_bytes())?,
            false => stdout.write_all(text.as_bytes())?,
        }
        stdout.flush()
    })
}

/// Returns a count with its noun, such as `1 run` or `2 runs`.
pub fn plural(count: usize, thing: &str) -> String {
    format!("{count} {thing}{}", if count == 1 { "" } else { "s" })
}

/// Format of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Lines for people
    Text,
    /// One JSON object on each line: timestamp, level, message and fields
    Json,
}

/// Whether standard error is a log in JSON, to which nothing else may be written.
static STRUCTURED: AtomicBool = AtomicBool::new(false);

/// Writes a line about progress to standard error.
pub fn note(line: &str) {
    if STRUCTURED.load(Ordering::Relaxed) {
        return tracing::info!("{line}");
    }
    // Write the whole line at once, so that lines of several processes do not mix.
    let _ = Stderr.write_all(format!("{}\n", printable_lines(line)).as_bytes());
}

/// Writes the reason why the command failed.
pub fn fail(text: &str) {
    match STRUCTURED.load(Ordering::Relaxed) {
        true => tracing::error!("{text}"),
        false => note(text),
    }
}

/// Creates a progress bar of known length, hidden if standard error is not a terminal.
pub fn bar(length: usize) -> ProgressBar {
    let bar = BARS.add(ProgressBar::new(length as u64));
    let style = ProgressStyle::with_template("{wide_bar:.cyan/dim} {pos}/{len} {eta}");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar
}

/// Creates a progress spinner for work of unknown length, hidden if standard error is not a
/// terminal.
pub fn spinner(what: impl Into<String>) -> ProgressBar {
    let bar = BARS.add(ProgressBar::new_spinner());
    bar.set_message(what.into());
    bar.enable_steady_tick(Duration::from_millis(120));
    bar
}

/// Starts logging to standard error at `level`, unless the environment sets a filter.
pub fn log(level: &str) {
    log_as(level, Format::Text);
}

/// Starts logging as [`log`] does, in the given format.
pub fn log_as(level: &str, format: Format) {
    let filter = EnvFilter::try_from_env(LOG).unwrap_or_else(|_| EnvFilter::new(level));
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(|| Stderr);
    match format {
        Format::Text => {
            log.with_ansi(io::stderr().is_terminal()).with_target(false).without_time().init()
        }
        Format::Json => {
            STRUCTURED.store(true, Ordering::Relaxed);
            log.json().flatten_event(true).with_current_span(false).with_span_list(false).init();
        }
    }
}

/// Formats a time in hours, minutes and seconds, such as `0:09` and `1:02:03`.
pub fn clock(time: Duration) -> String {
    let (minutes, seconds) = (time.as_secs() / 60, time.as_secs() % 60);
    match minutes / 60 {
        0 => format!("{minutes}:{seconds:02}"),
        hours => format!("{hours}:{:02}:{seconds:02}", minutes % 60),
    }
}

/// Standard error with progress bars hidden. Write errors are ignored, because the log would panic
/// if the reader had closed the pipe.
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
