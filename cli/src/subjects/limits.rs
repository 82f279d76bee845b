//! Flags for the limits of a budget: one for each unit of work of the subject kinds.

use std::collections::BTreeMap;

use catherd_experiments::Unit;
use clap::{Arg, ArgMatches, Args, Command, Error, FromArgMatches};

use super::kinds;

/// Limits in units of work as they were typed, by the name of the unit.
#[derive(Clone, Debug, Default)]
pub(crate) struct WorkLimits(pub(crate) BTreeMap<String, String>);

fn units() -> Vec<(Unit, Vec<String>)> {
    let mut units: Vec<(Unit, Vec<String>)> = Vec::new();
    for info in kinds().iter().map(|kind| kind.info()) {
        for unit in info.units {
            match units.iter_mut().find(|(known, _)| known.name == unit.name) {
                Some((_, counted_by)) => counted_by.push(info.kind.clone()),
                None => units.push((unit, vec![info.kind.clone()])),
            }
        }
    }
    units
}

impl Args for WorkLimits {
    fn augment_args(command: Command) -> Command {
        let everywhere = kinds().names().len();
        units().into_iter().fold(command, |command, (unit, counted_by)| {
            let only = if counted_by.len() == everywhere {
                String::new()
            } else {
                format!(" [subject kinds: {}]", counted_by.join(", "))
            };
            let help = format!("Budget of a run: {} ({}){only}", unit.plural, unit.meaning);
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
        let given = units().into_iter().filter_map(|(unit, _)| {
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
