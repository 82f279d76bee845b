//! Construction of programs.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use catherd_javascript_instrument::{
    Build, Units, instrument, is_typescript, line_scores, untyped,
};

use crate::live::{Live, met};
use crate::package::Package;
use crate::program::{Program, ProgramError};
use crate::resolve;
use crate::settings::MachineSettings;

impl Program {
    /// Loads a package once to see which files it needs, and instruments these files: target files
    /// in two builds, and other files without counters.
    ///
    /// # Errors
    /// If the package cannot be loaded or instrumented.
    pub fn new(package: Package) -> Result<Rc<Program>, ProgramError> {
        let entry = resolve::entry(&package).ok_or(ProgramError::NoEntry)?;
        let mut program = Program {
            package,
            entry,
            units: Units::default(),
            lines: Default::default(),
            texts: [BTreeMap::new(), BTreeMap::new()],
            loaded: RefCell::default(),
        };
        let mut paths = reached(&program)?;
        paths.sort();
        let mut other = Units::default();
        for path in paths {
            let Some(text) = program.package.text(&path) else { continue };
            let converted = if is_typescript(&path) { Some(untyped(&path, &text)?) } else { None };
            let source = converted.as_ref().map_or(&text, |converted| &converted.text);
            let kind = program.kind(&path);
            let target = resolve::is_target(&program.package, &path);
            let builds = if target {
                [Build::Search, Build::Inference]
            } else {
                [Build::Plain, Build::Plain]
            };
            let text = instrument(&mut program.units, &path, source, kind, builds[0])?;
            if let (true, Some(converted), Some(file)) =
                (target, &converted, program.units.files.last_mut())
            {
                file.words.declarations = converted.declarations.clone();
            }
            program.texts[0].insert(path.clone(), program.finished(&path, text));
            let text = instrument(&mut other, &path, source, kind, builds[1])?;
            let text = program.finished(&path, text);
            program.texts[1].insert(path, text);
        }
        let lines: Vec<Vec<&str>> =
            other.files.iter().map(|file| file.source.lines().collect()).collect();
        let sources = other.operator_lines.iter().map(|(file, line)| {
            lines[*file as usize].get(*line as usize - 1).copied().unwrap_or("")
        });
        for line in sources {
            program.lines[0].push(line_scores(line, false));
            program.lines[1].push(line_scores(line, true));
        }
        Ok(Rc::new(program))
    }
}

fn reached(program: &Program) -> Result<Vec<String>, ProgramError> {
    let bare = Rc::new(Program {
        package: program.package.clone(),
        entry: program.entry.clone(),
        units: Units::default(),
        lines: Default::default(),
        texts: [BTreeMap::new(), BTreeMap::new()],
        loaded: RefCell::default(),
    });
    let mut live = Live::new(&bare, &MachineSettings::default()).map_err(ProgramError::Load)?;
    let loaded = live.within_the_stack(|live| live.try_load());
    let loaded = loaded.map_or_else(|deep| Err(met(deep.limit)), |(loaded, _)| loaded);
    loaded.map_err(ProgramError::Load)?;
    Ok(live.compiled())
}
