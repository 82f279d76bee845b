//! `catherd completions`: completions of commands and flags for shells. `catherd dev manual`: the
//! pages of the manual.

use std::fs;
use std::path::{Path, PathBuf};

use catherd_cli_console::{Exit, Failure, terminal};
use clap::{Args, Command};
use clap_complete::{Shell, generate};

/// Prints completions of commands and flags for a shell.
///
/// Bash reads them from the file `catherd` in ~/.local/share/bash-completion/completions, zsh from
/// the file `_catherd` in a folder of `fpath`, and fish from `catherd.fish` in
/// ~/.config/fish/completions.
#[derive(Args)]
#[command(after_help = "\
Examples:
  catherd completions bash > completions.bash
  catherd completions zsh > _catherd
  catherd completions fish > ~/.config/fish/completions/catherd.fish")]
pub(crate) struct Completions {
    /// The shell
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

pub(crate) fn run(arguments: &Completions, mut program: Command) -> Result<Exit, Failure> {
    let mut script = Vec::new();
    generate(arguments.shell, &mut program, "catherd", &mut script);
    terminal::print(&String::from_utf8_lossy(&script));
    Ok(Exit::Success)
}

/// Writes the pages of the manual, as packages install them: catherd.1, catherd-run.1 and so on.
#[derive(Args)]
pub(crate) struct Manual {
    /// Folder of the pages
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

pub(crate) fn manual(arguments: &Manual, program: Command) -> Result<Exit, Failure> {
    let write = || -> std::io::Result<usize> {
        fs::create_dir_all(&arguments.folder)?;
        let mut program = program.disable_help_subcommand(true);
        program.build();
        pages(&program, "catherd", &arguments.folder)
    };
    let pages = write().map_err(|cause| {
        Failure::new(format_args!("{}: {cause}", arguments.folder.display()))
            .hint("name a folder that you may write to")
    })?;
    terminal::print(&format!("{}\n", terminal::plural(pages, "page")));
    Ok(Exit::Success)
}

/// Returns the number of pages.
fn pages(command: &Command, name: &str, folder: &Path) -> std::io::Result<usize> {
    let page = command.clone().name(name.to_owned()).display_name(name.to_owned());
    let mut text = Vec::new();
    clap_mangen::Man::new(page).render(&mut text)?;
    fs::write(folder.join(format!("{name}.1")), text)?;
    let mut written = 1;
    for below in command.get_subcommands().filter(|below| !below.is_hide_set()) {
        written += pages(below, &format!("{name}-{}", below.get_name()), folder)?;
    }
    Ok(written)
}
