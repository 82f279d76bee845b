//! Flags for the limits of a budget: one for each unit of work of the subject kinds.

use std::collections::BTreeMap;

use catherd_experiments::{SubjectInfo, Unit};
use catherd_interface::SubjectKind;
use clap::{Arg, ArgMatches, Args, Command, Error, FromArgMatches};

use super::kinds;

/// Limits in units of work as they were typed, by the name of the unit.
#[derive(Clone, Debug, Default)]
pub(crate) struct WorkLimits(pub(crate) BTreeMap<String, String>);

/// A unit of work of one or more subject kinds.
pub(crate) struct CountedUnit {
    /// The name in study files.
    pub(crate) name: String,
    /// What is counted, each with the kinds that count it.
    counted: Vec<(String, Vec<String>)>,
}

impl CountedUnit {
    /// What each subject kind counts.
    pub(crate) fn meaning(&self) -> String {
        let meanings =
            self.counted.iter().map(|(what, kinds)| format!("{what} for {}", kinds.join(", ")));
        meanings.collect::<Vec<_>>().join("; ")
    }
}

/// The units of work of all subject kinds, which may count different things under one name.
pub(crate) fn units() -> Vec<CountedUnit> {
    let mut units: Vec<CountedUnit> = Vec::new();
    for SubjectInfo { kind, units: own, .. } in kinds().iter().map(SubjectKind::info) {
        for Unit { name, plural, meaning, .. } in own {
            let what = format!("{plural} ({meaning})");
            let Some(unit) = units.iter_mut().find(|unit| unit.name == name) else {
                units.push(CountedUnit { name, counted: vec![(what, vec![kind.clone()])] });
                continue;
            };
            match unit.counted.iter_mut().find(|(known, _)| *known == what) {
                Some((_, kinds)) => kinds.push(kind.clone()),
                None => unit.counted.push((what, vec![kind.clone()])),
            }
        }
    }
    units
}

impl Args for WorkLimits {
    fn augment_args(command: Command) -> Command {
        units().into_iter().fold(command, |command, unit| {
            let help = format!("Budget of a run: {}", unit.meaning());
            let arg = Arg::new(unit.name.clone()).long(unit.name);
            command.arg(arg.value_name("N").allow_hyphen_values(true).help(help))
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for WorkLimits {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let given = units().into_iter().filter_map(|unit| {
            let limit = matches.get_one::<String>(&unit.name)?.clone();
            Some((unit.name, limit))
        });
        Ok(WorkLimits(given.collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_help_says_what_each_subject_kind_counts() {
        let command = WorkLimits::augment_args(Command::new("run"));
        for info in kinds().iter().map(SubjectKind::info) {
            for unit in info.units {
                let arg = command.get_arguments().find(|arg| arg.get_id() == unit.name.as_str());
                let help = arg.and_then(Arg::get_help).unwrap().to_string();
                let what = format!("{} ({}) for ", unit.plural, unit.meaning);
                let (_, after) = help.split_once(&what).unwrap_or_else(|| panic!("{what}: {help}"));
                let mut kinds = after.split(';').next().unwrap().split(", ");
                assert!(kinds.any(|kind| kind == info.kind), "{}: {help}", info.kind);
            }
        }
    }
}
