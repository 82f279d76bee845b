//! The faults of a model, and the rules by which tests detect them.

use catherd_sequences_testing::systems::{self, System, Verdict};
use catherd_sequences_testing::{EventId, Events, ModelSource, NamedWord};

use crate::configuration::{Bugs, Rule};
use crate::subject::{Stop, Subject};

pub(crate) struct Bug {
    pub(crate) name: String,
    word: NamedWord,
    system: Option<Box<dyn System>>,
}

pub(crate) fn bugs(subject: &Subject, wanted: &Bugs) -> Result<Vec<Bug>, Stop> {
    let known = &subject.model.faults;
    if let Bugs::Named(names) = wanted
        && let Some(name) = names.iter().find(|name| known.iter().all(|bug| bug.name != **name))
    {
        let names: Vec<_> = known.iter().map(|bug| bug.name.as_str()).collect();
        let names = if names.is_empty() { "no faults".to_owned() } else { names.join(", ") };
        let cause = format!("the model has no fault `{name}`; it has {names}");
        return Err(Stop::Failed(cause));
    }
    let is_wanted = |bug: &&NamedWord| match wanted {
        Bugs::All => true,
        Bugs::None => false,
        Bugs::Named(names) => names.contains(&bug.name),
    };
    let bug = |bug: &NamedWord| Bug {
        name: bug.name.clone(),
        word: bug.clone(),
        system: system(subject, &bug.name),
    };
    Ok(known.iter().filter(is_wanted).map(bug).collect())
}

/// Only a model that is identical to the built-in model of the same name has a system, because
/// another model may describe a different system.
fn system(subject: &Subject, fault: &str) -> Option<Box<dyn System>> {
    let name = subject.model.name.as_str();
    let built_in = ModelSource::open(&format!("builtin:{name}")).ok()?;
    if catherd_experiments::Digest::of(&built_in.pack()) != subject.digest {
        return None;
    }
    systems::builtin(name, Some(fault)).ok()
}

impl Bug {
    /// The alternatives at each position of the word that triggers the fault.
    pub(crate) fn word(&self) -> &[Vec<EventId>] {
        &self.word.word
    }

    pub(crate) fn applies(&self, rule: Rule) -> bool {
        rule != Rule::Replay || self.system.is_some()
    }

    pub(crate) fn detects(
        &mut self,
        test: &[EventId],
        events: &Events,
        rule: Rule,
    ) -> Result<bool, Stop> {
        match (rule, &mut self.system) {
            (Rule::Trigger, _) => Ok(self.word.is_in(test)),
            (Rule::TriggerSubsequence, _) => Ok(self.word.is_apart_in(test)),
            (Rule::Replay, Some(system)) => {
                let verdict = systems::execute(&mut **system, events, test);
                let verdict = verdict.map_err(|error| Stop::Failed(error.to_string()))?;
                Ok(verdict != Verdict::Passed)
            }
            (Rule::Replay, None) => Ok(false),
        }
    }
}
