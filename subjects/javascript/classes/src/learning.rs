//! Learning from executions.

use catherd_javascript_machine::{Argument, Execution, TestOutcome};

use crate::genes::Genes;
use crate::model::{Model, TargetKind};
use crate::problem::Subject;
use crate::results::FailedTest;
use crate::settings::Profile;
use crate::types::{Knowledge, Type};

/// Maximum number of failures that are kept: one for each target, name and message.
const MAX_FAILURES: usize = 200;

fn type_of(argument: &Argument, genes: &Genes, model: &Model) -> Option<Type> {
    Some(match argument {
        Argument::Number(_) => Type::Number,
        Argument::String(_) => Type::String,
        Argument::Boolean(_) => Type::Boolean,
        Argument::Null => Type::Null,
        Argument::Undefined => Type::Undefined,
        Argument::BigInt(_) => Type::BigInt,
        Argument::Symbol(_) => Type::Symbol,
        Argument::RegExp(..) => Type::RegExp,
        Argument::Date(_) => Type::Date,
        Argument::Array(_) => Type::Array,
        Argument::Map(_) => Type::Map,
        Argument::Set(_) => Type::Set,
        Argument::Object(_) => Type::Object,
        Argument::Function(..) => Type::Function,
        Argument::Promise(..) => Type::Promise,
        Argument::Variable(index) => {
            let target = &model.targets[*genes.targets.get(*index)?];
            Type::Class(target.class.filter(|_| target.kind == TargetKind::Constructor)?)
        }
        Argument::Unknown(_) => return None,
    })
}

/// The number of the parameter, and the type, of each argument whose type has points.
fn drawn<'g>(
    genes: &'g Genes,
    index: usize,
    model: &'g Model,
    knowledge: &'g [Knowledge],
) -> impl Iterator<Item = (usize, Type)> + 'g {
    let target = &model.targets[genes.targets[index]];
    let arguments = genes.statements[index].arguments.iter().take(target.parameters.len());
    arguments.enumerate().filter_map(move |(position, argument)| {
        let type_ = type_of(argument, genes, model)?;
        let parameter = target.first_parameter + position;
        let points = knowledge[parameter].points_of(&type_, model);
        (points > 0.0).then_some((parameter, type_))
    })
}

impl Subject {
    pub(crate) fn learn(&mut self, genes: &Genes, execution: &Execution) {
        let ended = execution.ended.min(genes.statements.len());
        for (target, type_) in genes.targets[..ended].iter().zip(&execution.types) {
            self.results[*target].add(type_, &self.model);
        }
        let TestOutcome::Threw { thrown, .. } = &execution.outcome else { return };
        let Some(last) = genes.targets.get(ended).copied() else { return };
        let of_type = thrown.name == "TypeError";
        if of_type && self.settings.profile == Profile::Scored {
            self.reward(genes, ended..ended + 1, -1.0);
        }
        let key = (last, thrown.name.clone(), thrown.message.clone());
        if self.failures.len() >= MAX_FAILURES || self.failures.contains_key(&key) {
            return;
        }
        let arguments = &genes.statements[ended].arguments;
        let instance = |argument: &Argument| matches!(argument, Argument::Variable(_));
        let failure = FailedTest {
            statements: genes.statements[..=ended].to_vec(),
            target: self.model.targets[last].name.clone(),
            name: thrown.name.clone(),
            message: thrown.message.clone(),
            suspected: of_type && !arguments.is_empty() && !arguments.iter().any(instance),
        };
        self.failures.insert(key, failure);
    }

    /// `points` may be negative, but no type gets fewer than 0 points.
    pub(crate) fn reward(&mut self, genes: &Genes, range: std::ops::Range<usize>, points: f64) {
        let drawn: Vec<(usize, Type)> =
            range.flat_map(|index| drawn(genes, index, &self.model, &self.knowledge)).collect();
        for (parameter, type_) in drawn {
            let known = &mut self.knowledge[parameter];
            let left = known.points_of(&type_, &self.model);
            *known.points.entry(type_).or_default() += points.max(-left);
        }
    }
}
