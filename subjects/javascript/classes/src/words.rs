//! Words of the program, its documentation, tests and type declarations, from which values of tests
//! are made.

mod declared;
mod pool;

use std::collections::{BTreeMap, BTreeSet};

use catherd_javascript_machine::instrument::{Declarations, Literal, Shape, Words as Found};
use catherd_javascript_machine::{Argument, Program};
use catherd_search::Stream;

use self::pool::Pool;
use crate::matching::Matching;
use crate::mined::own_names;
use crate::model::{Model, Target, TargetKind};
use crate::values::Constants;

/// Maximum number of example arguments of a parameter.
const MAX_SEEDS: usize = 60;
/// Maximum length of a varied string, in characters.
const LONGEST_VARIED: usize = 2_000;

/// Words of a program, with the values that they suggest for parameters.
#[derive(Clone, Debug, Default)]
pub struct Words {
    /// The literals of each function, including the functions in it.
    functions: Vec<Pool>,
    /// The file of each function.
    files_of: Vec<usize>,
    files: Vec<Pool>,
    patterns: Vec<Matching>,
    /// Strings of documentation, tests and examples, by kind of place; no list is empty.
    pub(crate) mined: Vec<Vec<String>>,
    /// Example arguments by parameter.
    seeds: Vec<Vec<Literal>>,
    /// Declared types by parameter.
    shapes: Vec<Option<Shape>>,
    /// Interfaces and type aliases.
    pub(crate) types: BTreeMap<String, Shape>,
    /// Names of options.
    options: Vec<String>,
    /// Literals with which variables and properties are compared, by name.
    values: BTreeMap<String, Vec<Literal>>,
    /// Properties that are read, by file and name of the object, with positions.
    members: BTreeMap<(usize, String), Vec<(u32, String)>>,
    pub(crate) calls: BTreeMap<String, Vec<Vec<Literal>>>,
    /// For each of `calls`, the object whose member is called; may be empty.
    pub(crate) owners: BTreeMap<String, Vec<String>>,
    declared: BTreeMap<String, Vec<Vec<Shape>>>,
    /// Number of parameters that calls of a declared function cannot leave out.
    required: BTreeMap<String, usize>,
    /// Names by which other code may call the export itself.
    pub(crate) own_names: Vec<String>,
}

fn is_options(name: &str) -> bool {
    let name = name.to_lowercase();
    ["opt", "config", "setting", "param", "prop", "arg"].iter().any(|part| name.contains(part))
}

impl Words {
    /// The words of a program. `constructed` contains sources of regular expressions that loading
    /// constructs; with `mined`, strings and calls of documentation, tests and examples are
    /// included.
    pub fn of(program: &Program, model: &Model, constructed: &[String], mined: bool) -> Words {
        let mut made = Words::default();
        let functions = &program.units.functions;
        made.functions = vec![Pool::default(); functions.len()];
        made.files_of = functions.iter().map(|function| function.file as usize).collect();
        made.files = vec![Pool::default(); program.units.files.len()];
        let mut known: BTreeMap<String, usize> = BTreeMap::new();
        for (number, file) in program.units.files.iter().enumerate() {
            for (at, literal) in &file.words.literals {
                let pattern = match literal {
                    Literal::Pattern(source, _) => made.pattern(source, &mut known),
                    _ => None,
                };
                made.files[number].add(literal, pattern);
                for (index, function) in functions.iter().enumerate() {
                    let inside = (function.range.0..function.range.1).contains(at);
                    if function.file as usize == number && inside {
                        made.functions[index].add(literal, pattern);
                    }
                }
            }
            for (at, object, name) in &file.words.members {
                let of = made.members.entry((number, object.clone())).or_default();
                of.push((*at, name.clone()));
                if is_options(object) && !made.options.contains(name) {
                    made.options.push(name.clone());
                }
            }
            made.take(&file.words);
        }
        for source in constructed {
            if let Some(index) = made.pattern(source, &mut known) {
                made.files.iter_mut().for_each(|pool| pool.patterns.push(index));
            }
        }
        if made.options.is_empty() {
            let names = made.members.values().flatten().map(|(_, name)| name.clone());
            let compared: BTreeSet<String> =
                names.filter(|name| made.values.contains_key(name)).collect();
            made.options = compared.into_iter().collect();
        }
        made.own_names = own_names(&program.package);
        made.read_package(&program.package, mined);
        for (pool, file) in made.files.iter_mut().zip(&program.units.files) {
            let codes = |name: &String| name == "charCodeAt" || name == "codePointAt";
            pool.find_tokens(file.words.members.iter().any(|(_, _, name)| codes(name)));
        }
        for pool in made.functions.iter_mut().chain(&mut made.files) {
            pool.texts.dedup();
        }
        for values in made.values.values_mut() {
            let mut seen = BTreeSet::new();
            values.retain(|value| seen.insert(value.clone()));
        }
        made.know(program, model);
        made
    }

    fn pattern(&mut self, source: &str, known: &mut BTreeMap<String, usize>) -> Option<usize> {
        if let Some(index) = known.get(source) {
            return Some(*index);
        }
        self.patterns.push(Matching::of(source)?);
        known.insert(source.to_owned(), self.patterns.len() - 1);
        Some(self.patterns.len() - 1)
    }

    pub(crate) fn take(&mut self, found: &Found) {
        for (name, value) in &found.values {
            let values = self.values.entry(name.clone()).or_default();
            if values.len() < MAX_SEEDS {
                values.push(value.clone());
            }
        }
        for (at, (name, arguments)) in found.calls.iter().enumerate() {
            let calls = self.calls.entry(name.clone()).or_default();
            if calls.len() < MAX_SEEDS {
                calls.push(arguments.clone());
                let owner = found.owners.get(at).cloned().unwrap_or_default();
                self.owners.entry(name.clone()).or_default().push(owner);
            }
        }
        for (name, shapes) in &found.declarations.functions {
            self.declared.entry(name.clone()).or_default().push(shapes.clone());
        }
        for (name, count) in &found.declarations.required {
            let required = self.required.entry(name.clone()).or_insert(*count);
            *required = (*required).min(*count);
        }
        self.types.extend(found.declarations.types.clone());
    }

    /// Learns about the parameters of targets that are not known yet.
    pub(crate) fn know(&mut self, program: &Program, model: &Model) {
        let known = self.seeds.len();
        self.seeds.resize(model.parameters, Vec::new());
        self.shapes.resize(model.parameters, None);
        for target in &model.targets {
            if target.first_parameter < known {
                continue;
            }
            let function = target.function.and_then(|f| program.units.functions.get(f as usize));
            let comment = function.map_or("", |function| function.comment.as_str());
            for (index, parameter) in target.parameters.iter().enumerate() {
                let number = target.first_parameter + index;
                self.seeds[number] = self.examples(target, index, model);
                self.shapes[number] = self
                    .declared_shape(target, index, model)
                    .or_else(|| Declarations::documented(comment, &parameter.name));
            }
        }
    }

    /// The names by which code calls a target, the most specific first.
    pub(crate) fn names(&self, target: &Target, model: &Model) -> Vec<String> {
        let class = target.class.and_then(|class| model.classes.get(class));
        let mut names = match (target.kind, class) {
            (TargetKind::Constructor, Some(class)) => vec![class.name.clone()],
            (TargetKind::Function, _) => vec![target.path.last().unwrap_or(&target.name).clone()],
            _ => vec![target.member.clone()],
        };
        let whole = matches!(target.kind, TargetKind::Constructor | TargetKind::Function)
            && (target.path.is_empty() || target.path == ["default"]);
        if whole {
            names.extend(self.own_names.iter().cloned());
        }
        names
    }

    fn examples(&self, target: &Target, index: usize, model: &Model) -> Vec<Literal> {
        let mut found = Vec::new();
        for name in self.names(target, model) {
            for arguments in self.calls.get(&name).into_iter().flatten() {
                if let Some(value) = arguments.get(index)
                    && *value != Literal::Other
                    && found.len() < MAX_SEEDS
                    && !found.contains(value)
                {
                    found.push(value.clone());
                }
            }
        }
        found
    }

    pub(crate) fn seed(&self, parameter: usize, rng: &mut Stream) -> Option<&Literal> {
        let seeds = self.seeds.get(parameter).filter(|seeds| !seeds.is_empty())?;
        Some(rng.pick(seeds))
    }

    pub(crate) fn names_of_members(&self) -> Vec<&str> {
        self.members.values().flatten().map(|(_, name)| name.as_str()).collect()
    }

    pub(crate) fn compared(&self, name: &str) -> &[Literal] {
        self.values.get(name).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn shape(&self, parameter: usize) -> Option<&Shape> {
        self.shapes.get(parameter)?.as_ref()
    }

    pub(crate) fn type_of(&self, name: &str) -> Option<&Shape> {
        self.types.get(name)
    }

    pub(crate) fn value(&self, name: &str, rng: &mut Stream) -> Option<&Literal> {
        Some(rng.pick(self.values.get(name)?))
    }

    /// Names of members of a parameter that its function reads, or names of options.
    pub(crate) fn members(
        &self,
        function: Option<u32>,
        range: Option<(u32, u32)>,
        parameter: &str,
        rng: &mut Stream,
    ) -> Vec<&str> {
        let own = function.and_then(|function| {
            let file = *self.files_of.get(function as usize)?;
            let all = self.members.get(&(file, parameter.to_owned()))?;
            let range = range?;
            let inside = all.iter().filter(|(at, _)| (range.0..range.1).contains(at));
            let mut names: Vec<&str> = inside.map(|(_, name)| name.as_str()).collect();
            names.sort_unstable();
            names.dedup();
            (!names.is_empty()).then_some(names)
        });
        if let Some(names) = own
            && !(is_options(parameter) && rng.chance(0.5))
        {
            return names;
        }
        if self.options.is_empty() {
            return Vec::new();
        }
        (0..1 + rng.index(3)).map(|_| rng.pick(&self.options).as_str()).collect()
    }

    pub(crate) fn text(&self, function: Option<u32>, rng: &mut Stream) -> Option<String> {
        let drawn = rng.unit();
        let texts: usize = self.mined.iter().map(Vec::len).sum();
        if drawn < 0.3 * (texts as f64 / 20.0).min(1.0)
            && let Some(mined) = self.mined(rng)
        {
            return Some(mined);
        }
        if drawn > 0.85 {
            return None;
        }
        if drawn > 0.55
            && let Some(text) = self.phrase(function, rng)
        {
            return Some(text);
        }
        let pool = self.pool(function, rng)?;
        if !pool.patterns.is_empty() && (pool.texts.is_empty() || rng.chance(0.5)) {
            return Some(self.patterns[*rng.pick(&pool.patterns)].draw(rng));
        }
        (!pool.texts.is_empty()).then(|| rng.pick(&pool.texts).clone())
    }

    /// A character or short string from the file of a function, or sometimes from another file.
    pub(crate) fn token(&self, function: Option<u32>, rng: &mut Stream) -> Option<String> {
        let pool = self.file(function, rng)?;
        let names = if pool.names.is_empty() { 0 } else { 1 + pool.tokens.len() / 4 };
        let index = rng.index((pool.tokens.len() + names).max(1));
        match pool.tokens.get(index) {
            Some(token) => Some(token.clone()),
            None => (names > 0).then(|| rng.pick(&pool.names).clone()),
        }
    }

    /// The file of a function, or sometimes another file.
    fn file(&self, function: Option<u32>, rng: &mut Stream) -> Option<&Pool> {
        if self.files.is_empty() {
            return None;
        }
        let own = function.and_then(|function| self.files_of.get(function as usize));
        let index = match own {
            Some(file) if rng.chance(0.7) => *file,
            _ => rng.index(self.files.len()),
        };
        Some(&self.files[index])
    }

    /// A sequence of tokens, names, spaces and line breaks.
    fn phrase(&self, function: Option<u32>, rng: &mut Stream) -> Option<String> {
        const NAMES: [&str; 6] = ["a", "b", "key", "1", "12", "x1"];
        let pool = self.file(function, rng).filter(|pool| pool.tokens.len() > 3)?;
        let mut text = String::new();
        while text.is_empty() || (rng.chance(0.85) && text.len() < 80) {
            match rng.index(10) {
                0..=3 => text.push_str(&pool.tokens[rng.index(pool.tokens.len())]),
                4 | 5 => text.push_str(NAMES[rng.index(NAMES.len())]),
                6 if !pool.names.is_empty() => {
                    text.push_str(&pool.names[rng.index(pool.names.len())])
                }
                6 | 7 => {
                    text.push('\n');
                    (0..rng.index(4)).for_each(|_| text.push(' '));
                }
                _ => text.push(' '),
            }
        }
        Some(text)
    }

    fn mined(&self, rng: &mut Stream) -> Option<String> {
        if self.mined.is_empty() {
            return None;
        }
        let texts = &self.mined[rng.index(self.mined.len())];
        Some(rng.pick(texts).clone())
    }

    fn pool(&self, function: Option<u32>, rng: &mut Stream) -> Option<&Pool> {
        let function = function.map(|function| function as usize);
        let own = function.and_then(|function| self.functions.get(function));
        if let Some(own) = own.filter(|own| !own.is_empty())
            && !rng.chance(0.3)
        {
            return Some(own);
        }
        match function.and_then(|function| self.files_of.get(function)) {
            Some(file) if rng.chance(0.7) => self.files.get(*file),
            _ if self.files.is_empty() => None,
            _ => Some(&self.files[rng.index(self.files.len())]),
        }
    }

    /// A number near a number of the function.
    pub(crate) fn number(&self, function: Option<u32>, rng: &mut Stream) -> Option<f64> {
        let numbers = &self.functions.get(function? as usize)?.numbers;
        if numbers.is_empty() || !rng.chance(0.5) {
            return None;
        }
        Some(rng.pick(numbers) + [0.0, 0.0, -1.0, 1.0][rng.index(4)])
    }

    /// A string near another string.
    pub(crate) fn varied(
        &self,
        text: &str,
        function: Option<u32>,
        constants: &Constants,
        rng: &mut Stream,
    ) -> String {
        let mut letters: Vec<char> = text.chars().collect();
        let start = rng.index(letters.len() + 1);
        let end = (start + 1 + rng.index(12)).min(letters.len());
        let part = |rng: &mut Stream| -> Vec<char> {
            let pool = self.file(function, rng).filter(|pool| !pool.tokens.is_empty());
            if let Some(pool) = pool
                && rng.chance(0.4)
            {
                return rng.pick(&pool.tokens).chars().collect();
            }
            let text = self.text(function, rng).unwrap_or_else(|| constants.text(0.5, rng));
            text.chars().take(200).collect()
        };
        match rng.index(5) {
            0 | 1 => {
                let new = part(rng);
                letters.splice(start..start, new);
            }
            2 => {
                letters.drain(start..end.max(start));
            }
            3 => {
                let copied: Vec<char> = letters[start..end.max(start)].to_vec();
                letters.splice(start..start, copied);
            }
            _ => {
                let new = part(rng);
                letters.splice(start..end.max(start), new);
            }
        }
        letters.into_iter().take(LONGEST_VARIED).collect()
    }
}

pub(crate) fn argument(literal: &Literal) -> Option<Argument> {
    Some(match literal {
        Literal::Text(text) => Argument::String(text.clone()),
        Literal::Number(bits) => Argument::Number(f64::from_bits(*bits)),
        Literal::Boolean(is) => Argument::Boolean(*is),
        Literal::Null => Argument::Null,
        Literal::Undefined => Argument::Undefined,
        Literal::BigInt(text) => Argument::BigInt(text.clone()),
        Literal::Pattern(text, flags) => Argument::RegExp(text.clone(), flags.clone()),
        Literal::Array(_) | Literal::Object(_) | Literal::Function | Literal::Other => return None,
    })
}
