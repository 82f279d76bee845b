//! What a program of the kind `command` can reach of the machine: this executable is the test and, as the
//! program of a study, the probe, which asks the same questions with and without isolation.
//!
//! It has no test harness, because a program must not start the harness again.

#[cfg(target_os = "linux")]
mod host;
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
        // Filters of other tests.
        [filter, ..] if !filter.starts_with('-') && !"isolation".contains(filter) => {}
        _ => host::test(),
    }
}

#[cfg(not(target_os = "linux"))]
fn main() {}
