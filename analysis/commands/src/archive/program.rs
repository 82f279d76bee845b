//! Adds this program to a package, with scripts that check the package and repeat its runs.

use std::path::PathBuf;

use catherd_analysis_archive::{Builder, EXECUTABLES};
use catherd_cli_console::Failure;
use catherd_experiments::Plan;
use catherd_experiments::file_names::FileNames;

use crate::Program;

const CHECK: &str = EXECUTABLES[0];
pub(crate) const PROGRAM: &str = EXECUTABLES[1];
const REPEAT: &str = EXECUTABLES[2];

pub(crate) const SOURCE: &str = "source/";

pub(crate) const THIRD_PARTY: &str = "program/THIRD-PARTY-LICENSES.txt";

const LICENCES: [(&str, &str); 2] = [
    ("program/LICENSE-MIT", include_str!("../../../../LICENSE-MIT")),
    ("program/LICENSE-APACHE", include_str!("../../../../LICENSE-APACHE")),
];

pub(crate) fn add(program: &Program, builder: &mut Builder, plan: &Plan) -> Result<(), Failure> {
    builder.file(PROGRAM, executable()?);
    for (name, text) in LICENCES {
        builder.bytes(name, text);
    }
    builder.bytes(THIRD_PARTY, (program.licences)()?);
    let programs = if program.kinds.runs_programs(&plan.subject) { " --run-programs" } else { "" };
    builder.bytes(CHECK, check());
    builder.bytes(REPEAT, repeat(programs));
    Ok(())
}

pub(super) fn add_sources(builder: &mut Builder, files: &[PathBuf]) {
    let mut names = FileNames::default();
    for file in files {
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        builder.file(format!("{SOURCE}{}", names.of(file.clone(), &name)), file);
    }
}

/// The system may not know the file, for example if `/proc` is not mounted.
fn executable() -> Result<PathBuf, Failure> {
    std::env::current_exe().or_else(|cause| {
        let started = std::env::args_os().next().map(PathBuf::from);
        started.filter(|path| path.is_file()).ok_or_else(|| {
            Failure::new(format_args!("the file of this program is not known: {cause}"))
                .hint("start catherd with its full path")
        })
    })
}

fn check() -> String {
    format!(
        "#!/bin/sh\n# Checks this package, and compares its files with files made again from its records.\n\
         cd \"$(dirname \"$0\")\" && exec ./{PROGRAM} verify . --sample 0 \"$@\"\n"
    )
}

fn repeat(programs: &str) -> String {
    format!(
        "#!/bin/sh\n# Executes runs of this package again and compares their records.\n\
         # usage: ./{REPEAT} --sample 5% | ./{REPEAT} --all [--projects DIR]\n\
         if [ \"$1\" = --all ]; then shift; set -- --sample 100% \"$@\"; fi\n\
         cd \"$(dirname \"$0\")\" && exec ./{PROGRAM} verify .{programs} \"$@\"\n"
    )
}
