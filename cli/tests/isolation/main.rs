//! Tests what a program of the kind `command` can access on the machine. This executable is both
//! the test and the probe: the program of a study, which answers the same questions with and
//! without isolation.
//!
//! There is no test harness, because the probe must not start the harness again.

#[cfg(target_os = "linux")]
mod host;
#[cfg(target_os = "linux")]
mod passage;
#[cfg(target_os = "linux")]
mod probe;

#[cfg(target_os = "linux")]
fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["probe", out, facts] => probe::ask(out, facts),
        ["fill", what, out] => probe::fill(what, out),
        _ if arguments.iter().any(|argument| argument == "--ignored") => {}
        _ if arguments.iter().any(|argument| argument == "--list") => host::say("isolation: test"),
        // Do nothing if the filter names other tests.
        [filter, ..] if !filter.starts_with('-') && !"isolation".contains(filter) => {}
        _ => host::test(),
    }
}

#[cfg(not(target_os = "linux"))]
fn main() {}
