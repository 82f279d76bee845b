//! Construction of tests: calls of targets, and arguments for them by type.

use std::collections::BTreeMap;

use catherd_javascript_machine::instrument::Function;
use catherd_javascript_machine::{Argument, Evidence, Operation, Statement};
use catherd_search::Stream;

use crate::genes::Genes;
use crate::model::{Model, Target, TargetKind};
use crate::results::CallResults;
use crate::settings::{Drawing, GenerationSettings, Profile};
use crate::types::{self, Knowledge, Type};
use crate::values::{self, Constants};
use crate::words::Words;

/// Maximum nesting of values inside other values, such as arrays in arrays.
pub(crate) const DEEPEST: usize = 4;
/// Probability that an instance of an exported class is taken from a call that returns one, if such
/// a call is known.
const RETURNED: f64 = 0.3;

/// The data from which tests are made.
pub struct Maker<'m> {
    /// Classes, functions and targets of the program.
    pub model: &'m Model,
    /// Evidence about the type of each parameter.
    pub knowledge: &'m [Knowledge],
    /// The results that calls of each target returned.
    pub results: &'m [CallResults],
    /// Constants of the program.
    pub constants: &'m Constants,
    /// Words of the program; `None` if no values are made from words.
    pub words: Option<&'m Words>,
    /// The functions of the program.
    pub functions: &'m [Function],
    /// Settings of test generation.
    pub settings: &'m GenerationSettings,
    /// Whether unknown values may be passed.
    pub unknowns: bool,
}

/// A test under construction.
pub struct Building<'m, 'r> {
    pub(crate) maker: &'m Maker<'m>,
    pub(crate) rng: &'r mut Stream,
    /// The test so far.
    pub genes: Genes,
    /// Numbers and strings of the test, which later arguments may reuse.
    pool: Vec<(Type, Argument)>,
    /// The parameter for which a value is made.
    pub(crate) parameter: Option<usize>,
}

impl<'m, 'r> Building<'m, 'r> {
    /// Continues a test.
    pub fn new(maker: &'m Maker<'m>, genes: Genes, rng: &'r mut Stream) -> Self {
        let mut pool = Vec::new();
        for argument in genes.statements.iter().flat_map(|statement| &statement.arguments) {
            match argument {
                Argument::Number(_) => pool.push((Type::Number, argument.clone())),
                Argument::String(_) => pool.push((Type::String, argument.clone())),
                _ => {}
            }
        }
        Building { maker, rng, genes, pool, parameter: None }
    }

    pub(crate) fn instances(&self, class: usize) -> Vec<usize> {
        let made = |index: &usize| {
            let target = &self.maker.model.targets[self.genes.targets[*index]];
            target.kind == TargetKind::Constructor && target.class == Some(class)
        };
        (0..self.genes.statements.len()).filter(made).collect()
    }

    pub(crate) fn values_of(&self, class: usize) -> Vec<usize> {
        let mut known = self.instances(class);
        if self.maker.settings.profile == Profile::Scored {
            let targets = self.genes.targets.iter().enumerate();
            let returned = targets.filter(|(_, target)| self.returns(**target, class));
            known.extend(returned.map(|(index, _)| index));
            known.sort_unstable();
        }
        known
    }

    fn returns(&self, target: usize, class: usize) -> bool {
        self.maker.model.targets[target].kind != TargetKind::Constructor
            && self.maker.results[target].classes.contains(&class)
    }

    pub(crate) fn add(&mut self, statement: Statement, target: usize) -> usize {
        self.genes.statements.push(statement);
        self.genes.targets.push(target);
        self.genes.statements.len() - 1
    }

    /// Adds the construction of an instance of a class, and returns the number of its statement if
    /// this is possible.
    pub fn declare(&mut self, class: usize, depth: usize) -> Option<usize> {
        let targets = &self.maker.model.targets;
        let number = targets.iter().position(|target| {
            target.kind == TargetKind::Constructor && target.class == Some(class)
        })?;
        self.call(number, None, depth)
    }

    /// Adds a call of a target, preceded by the statements that make its receiver and arguments.
    pub fn call(&mut self, number: usize, receiver: Option<usize>, depth: usize) -> Option<usize> {
        let target = &self.maker.model.targets[number];
        let receiver = match (target.kind, target.class) {
            (TargetKind::Method | TargetKind::Getter | TargetKind::Setter, Some(class)) => {
                match receiver {
                    Some(receiver) => receiver,
                    None => match self.receivers(class).last() {
                        Some(known) if !self.rng.chance(0.1) => *known,
                        _ => self.receiver(class, depth + 1)?,
                    },
                }
            }
            _ => 0,
        };
        let arguments = self.arguments(target, depth);
        let operation = match target.kind {
            TargetKind::Constructor => Operation::New,
            TargetKind::Function => Operation::Call,
            TargetKind::Method => Operation::Method,
            TargetKind::Getter => Operation::Get,
            TargetKind::Setter => Operation::Set,
        };
        let plain = matches!(target.kind, TargetKind::Constructor | TargetKind::Function);
        let statement = Statement {
            operation,
            path: if plain { target.path.clone() } else { Vec::new() },
            receiver,
            name: if plain { String::new() } else { target.member.clone() },
            arguments,
            awaits: operation != Operation::New,
        };
        Some(self.add(statement, number))
    }

    /// Adds a call of a target, possibly after other calls with the same receiver, so that one
    /// change can reach a state that takes several calls.
    pub fn burst(&mut self, number: usize) -> Option<usize> {
        let target = &self.maker.model.targets[number];
        let receiver = match (target.kind, target.class) {
            (TargetKind::Method | TargetKind::Getter | TargetKind::Setter, Some(class)) => {
                let known = self.receivers(class);
                let receiver = match known.is_empty() || self.rng.chance(0.1) {
                    true => self.receiver(class, 1)?,
                    false => *self.rng.pick(&known),
                };
                let methods = self.maker.model.methods(class);
                while self.rng.chance(0.5) {
                    let method = *self.rng.pick(&methods);
                    self.call(method, Some(receiver), 0);
                }
                Some(receiver)
            }
            _ => None,
        };
        self.call(number, receiver, 0)
    }

    fn arguments(&mut self, target: &Target, depth: usize) -> Vec<Argument> {
        let mut count = target.parameters.len();
        let scored = self.maker.settings.profile == Profile::Scored;
        let mut extra = false;
        if scored && target.kind != TargetKind::Setter {
            if count > 0 && self.rng.chance(0.1) {
                count -= 1;
            } else {
                extra = self.rng.chance(0.1);
            }
        }
        let rest = target.parameters.last().is_some_and(|last| last.name.starts_with("..."));
        let mut values: Vec<Argument> =
            (0..count).map(|index| self.argument(target.first_parameter + index, depth)).collect();
        if rest && count == target.parameters.len() {
            for _ in 0..self.rng.below(3) {
                let parameter = target.first_parameter + count - 1;
                values.push(self.argument(parameter, depth));
            }
        } else if extra {
            values.push(self.any(depth));
        }
        values
    }

    /// A value for a parameter.
    pub fn argument(&mut self, parameter: usize, depth: usize) -> Argument {
        let knowledge = &self.maker.knowledge[parameter];
        match self.maker.settings.profile {
            Profile::Flycatcher => match &knowledge.inferred {
                Some(inferred) => match &inferred.type_ {
                    Some(type_) => self.value(type_, None, depth),
                    None => Argument::Null,
                },
                None => Argument::Unknown(parameter as u32),
            },
            Profile::Scored => {
                let fresh = knowledge.uses < self.maker.settings.delay as u64;
                if self.maker.unknowns && (!fresh || self.rng.chance(0.5)) {
                    return Argument::Unknown(parameter as u32);
                }
                let settings = self.maker.settings;
                if settings.types == Drawing::None || self.rng.chance(settings.random_type) {
                    return self.any(depth);
                }
                if let Some(words) = self.maker.words {
                    return self.supplied(words, parameter, depth);
                }
                self.of_points(&knowledge.scored(self.maker.model), &knowledge.evidence, depth)
            }
        }
    }

    pub(crate) fn of_points(
        &mut self,
        points: &BTreeMap<Type, f64>,
        evidence: &'m Evidence,
        depth: usize,
    ) -> Argument {
        match self.draw(points) {
            Some(type_) => self.value(&type_, Some(evidence), depth),
            None => self.any(depth),
        }
    }

    pub(crate) fn of_path(
        &mut self,
        evidence: Option<&'m Evidence>,
        path: &str,
        depth: usize,
    ) -> Argument {
        let known = evidence.and_then(|evidence| evidence.paths.get(path));
        let settings = self.maker.settings;
        match known {
            Some(known)
                if settings.types != Drawing::None && !self.rng.chance(settings.random_type) =>
            {
                let points = types::points(known, BTreeMap::new(), self.maker.model);
                self.of_points(&points, known, depth)
            }
            _ => self.any(depth),
        }
    }

    /// `None` stands for any type.
    fn draw(&mut self, points: &BTreeMap<Type, f64>) -> Option<Type> {
        if self.maker.settings.types == Drawing::Ranked {
            return types::best(points);
        }
        let total: f64 = points.values().sum();
        let mut left = self.rng.unit() * total;
        for (type_, points) in points {
            left -= points;
            if left < 0.0 {
                return Some(type_.clone());
            }
        }
        None
    }

    pub(crate) fn any(&mut self, depth: usize) -> Argument {
        let classes = self.maker.model.classes.len();
        if classes > 0 && self.rng.chance(0.15) {
            let class = self.rng.index(classes);
            return self.value(&Type::Class(class), None, depth);
        }
        // Prefer numbers and strings.
        let types = [
            Type::Number,
            Type::Number,
            Type::Number,
            Type::String,
            Type::String,
            Type::String,
            Type::Boolean,
            Type::Null,
            Type::Undefined,
            Type::Array,
            Type::Object,
            Type::Function,
        ];
        let type_ = self.rng.pick(&types).clone();
        self.value(&type_, None, depth)
    }

    /// `evidence` is about the parameter, or about values accessed through it.
    pub(crate) fn value(
        &mut self,
        type_: &Type,
        evidence: Option<&'m Evidence>,
        depth: usize,
    ) -> Argument {
        if depth > DEEPEST {
            return Argument::Null;
        }
        let reuse = self.rng.chance(self.maker.settings.reuse);
        match type_ {
            Type::Class(class) => {
                let known = self.values_of(*class);
                if reuse && !known.is_empty() {
                    return Argument::Variable(*self.rng.pick(&known));
                }
                if let Some(returned) = self.returned(*class, depth) {
                    return Argument::Variable(returned);
                }
                self.declare(*class, depth + 1).map_or(Argument::Null, Argument::Variable)
            }
            Type::Number | Type::String => {
                let known: Vec<&Argument> =
                    self.pool.iter().filter(|(known, _)| known == type_).map(|(_, v)| v).collect();
                if reuse && !known.is_empty() {
                    return (*self.rng.pick(&known)).clone();
                }
                let value = self.primitive(type_);
                self.pool.push((type_.clone(), value.clone()));
                value
            }
            Type::Array | Type::Set => {
                let mut items = Vec::new();
                while self.rng.chance(2.0 / 3.0) && items.len() < 8 {
                    let uniform = self.rng.chance(0.7);
                    let item = match items.first() {
                        Some(Argument::Number(_)) if uniform => self.primitive(&Type::Number),
                        Some(Argument::String(_)) if uniform => self.primitive(&Type::String),
                        _ => self.of_path(evidence, "[]", depth + 1),
                    };
                    items.push(item);
                }
                if *type_ == Type::Array { Argument::Array(items) } else { Argument::Set(items) }
            }
            Type::Map => {
                let mut members = Vec::new();
                while self.rng.chance(0.5) && members.len() < 4 {
                    let key = self.primitive(&Type::String);
                    members.push((key, self.any(depth + 1)));
                }
                Argument::Map(members)
            }
            Type::Object => {
                let known = evidence.into_iter().flat_map(|evidence| evidence.members.keys());
                let mut names: Vec<&str> = known.take(12).map(String::as_str).collect();
                if let Some(words) = self.maker.words {
                    return self.object(words, names, evidence, depth);
                }
                if names.is_empty() {
                    names.push("a");
                }
                let mut members = Vec::new();
                for name in names {
                    if !self.rng.chance(0.1) {
                        let called = evidence.is_some_and(|e| e.called.contains_key(name));
                        let path = format!(".{name}");
                        let inner = evidence.and_then(|evidence| evidence.paths.get(&path));
                        let value = if called {
                            self.value(&Type::Function, inner, depth + 1)
                        } else {
                            self.of_path(evidence, &path, depth + 1)
                        };
                        members.push((name.to_owned(), value));
                    }
                }
                Argument::Object(members)
            }
            Type::Function => {
                let what = match self.maker.words {
                    Some(_) => self.kind_of_function(),
                    None => self.rng.pick(&["constant", "constant", "first", "throws", "writes"]),
                };
                let result = self.of_path(evidence, "()", depth + 2);
                Argument::Function(what.to_owned(), Box::new(result))
            }
            Type::Promise => {
                let rejected = self.rng.chance(0.2);
                Argument::Promise(Box::new(self.any(depth + 2)), rejected)
            }
            simple => values::simple(simple, self.rng).unwrap_or(Argument::Undefined),
        }
    }

    pub(crate) fn returned(&mut self, class: usize, depth: usize) -> Option<usize> {
        if self.maker.settings.profile != Profile::Scored || depth >= DEEPEST {
            return None;
        }
        let targets = 0..self.maker.model.targets.len();
        let makers: Vec<usize> = targets.filter(|target| self.returns(*target, class)).collect();
        // A class that is not exported has instances only from calls.
        let observed = self.maker.model.constructor(class).is_none();
        if makers.is_empty() || !(observed || self.rng.chance(RETURNED)) {
            return None;
        }
        let target = *self.rng.pick(&makers);
        self.call(target, None, depth + 1)
    }

    pub(crate) fn primitive(&mut self, type_: &Type) -> Argument {
        let flycatcher = self.maker.settings.profile == Profile::Flycatcher;
        let share = self.maker.settings.constants;
        if let Some(word) = self.word(type_) {
            return word;
        }
        match (type_, flycatcher) {
            (Type::Number, true) => Argument::Number(self.maker.constants.plain_number(self.rng)),
            (Type::Number, false) => Argument::Number(self.maker.constants.number(share, self.rng)),
            (_, true) => Argument::String(self.maker.constants.plain_text(self.rng)),
            (_, false) => Argument::String(self.maker.constants.text(share, self.rng)),
        }
    }
}

impl Maker<'_> {
    /// A random test of a target.
    pub fn random(&self, number: usize, rng: &mut Stream) -> Genes {
        let target = &self.model.targets[number];
        let calls = rng.below(self.settings.sequence.max(1) as u64);
        let mut building = Building::new(self, Genes::default(), rng);
        match (target.kind, target.class) {
            (TargetKind::Constructor, _) | (_, None) => {
                if target.kind == TargetKind::Function {
                    for _ in 0..calls.min(2) {
                        building.call(number, None, 0);
                    }
                }
                building.call(number, None, 0);
            }
            (_, Some(class)) => {
                let methods = self.model.methods(class);
                if let Some(receiver) = building.receiver(class, 0) {
                    for _ in 0..calls {
                        let method = *building.rng.pick(&methods);
                        building.call(method, Some(receiver), 0);
                    }
                    building.call(number, Some(receiver), 0);
                }
            }
        }
        building.genes
    }
}
