//! The compiler: from a syntax tree to a program.

mod declare;
mod expression;
mod set;
mod thread;

use rustc_hash::FxHashMap;

use crate::events::{EventSet, Events};
use crate::program::{
    Body, Effect, EventFacts, Expr, Place, PlaceStep, Program, SetExpr, SetTable, Thread,
};

use super::NamedWord;
use super::error::{ModelError, closest};
use super::syntax::{self, ExprKind, Statement, StatementKind, Syntax, WordSyntax};
use crate::span::Span;
use crate::types::Type;

pub(super) const MAX_THREADS: usize = 4096;

/// Maximum number of words of the data, and of the states of all threads.
const MAX_WORDS: usize = 4096;

#[derive(Clone, Debug)]
struct Variable {
    name: String,
    of: Type,
    offset: usize,
}

#[derive(Clone, Debug)]
enum Constant {
    Value(Type, Vec<i32>),
    Set(EventSet),
}

struct Compiler {
    constants: FxHashMap<String, Constant>,
    events: Events,
    facts: EventFacts,
    /// Number and type of fields of events by name.
    fields: FxHashMap<String, (u32, Type)>,
    /// Words of fields and enumerations.
    words: Vec<String>,
    word_ids: FxHashMap<String, i32>,
    data: Vec<Variable>,
    data_words: usize,
    /// Variables of the thread or the effect that is compiled, the innermost last.
    locals: Vec<Variable>,
    /// Number of words of all variables of the thread so far.
    local_words: usize,
}

pub(super) struct Compiled {
    pub(super) program: Program,
    pub(super) faults: Vec<NamedWord>,
    pub(super) requirements: Vec<NamedWord>,
    pub(super) warnings: Vec<String>,
}

/// `settings` replace the values of constants.
pub(super) fn compile(syntax: &Syntax, settings: &[(String, i32)]) -> Result<Compiled, ModelError> {
    let mut compiler = Compiler {
        constants: FxHashMap::default(),
        events: Events::default(),
        facts: EventFacts::default(),
        fields: FxHashMap::default(),
        words: Vec::new(),
        word_ids: FxHashMap::default(),
        data: Vec::new(),
        data_words: 0,
        locals: Vec::new(),
        local_words: 0,
    };
    compiler.declare(syntax, settings)?;
    let data = compiler.data(&syntax.data)?;

    let mut effects = Vec::new();
    let mut effects_of = vec![Vec::new(); compiler.events.len()];
    for effect in &syntax.effects {
        let alias = effect.alias.iter();
        compiler.locals =
            alias.map(|n| Variable { name: n.clone(), of: Type::Event, offset: 0 }).collect();
        let set = compiler.constant_set(&effect.event)?;
        let body = compiler.effects(&effect.body)?;
        for event in set.iter() {
            effects_of[event as usize].push(effects.len() as u32);
        }
        effects.push(body);
        compiler.locals.clear();
    }

    if syntax.threads.len() > MAX_THREADS {
        let cause = format!("{} threads: at most {MAX_THREADS}", syntax.threads.len());
        return Err(
            ModelError::new(syntax.threads[MAX_THREADS].span, cause).hint("split the model")
        );
    }
    let mut sets = SetTable::new(compiler.events.len());
    let mut threads = Vec::new();
    let mut names = FxHashMap::default();
    let (mut at, mut largest) = (0, Vec::new());
    for thread in &syntax.threads {
        if names.insert(&thread.name, ()).is_some() && !thread.name.starts_with("request ") {
            let cause = format!("a second thread named `{}`", thread.name);
            return Err(ModelError::new(thread.span, cause).hint("give it another name"));
        }
        let guard = thread.guard.as_ref().map(|guard| compiler.flag(guard)).transpose()?;
        let (body, width) = compiler.thread(thread, &mut sets, &mut largest)?;
        threads.push(Thread { name: thread.name.clone(), guard, body, at });
        at += width;
        if at > MAX_WORDS {
            let cause = format!("the states of all threads have more than {MAX_WORDS} values");
            return Err(ModelError::new(thread.span, cause)
                .hint("use fewer threads, or fewer or shorter variables"));
        }
    }
    compiler.data.iter().for_each(|variable| variable.of.largest(&mut largest));

    let faults = compiler.named_words(&syntax.faults, "fault")?;
    let requirements = compiler.named_words(&syntax.requirements, "requirement")?;
    let has_priorities = threads.iter().any(|thread: &Thread| match &thread.body {
        Body::Table(rows, _) => rows.iter().any(|row| row.priority != 0),
        Body::Code(code) => code.syncs.iter().any(|sync| sync.priority != 0),
    });
    let (sets, words) = sets.finish();
    let warnings = Vec::new();
    let Compiler { events, facts, .. } = compiler;
    let program = Program {
        events,
        facts,
        threads,
        sets,
        words,
        effects,
        effects_of,
        data,
        data_at: at,
        largest,
        has_priorities,
    };
    Ok(Compiled { program, faults, requirements, warnings })
}

impl Compiler {
    fn named_words(
        &mut self,
        words: &[WordSyntax],
        what: &str,
    ) -> Result<Vec<NamedWord>, ModelError> {
        let mut found: Vec<NamedWord> = Vec::new();
        for WordSyntax { span, name, word } in words {
            if found.iter().any(|other| other.name == *name) {
                let cause = format!("a second {what} named `{name}`");
                return Err(ModelError::new(*span, cause).hint("give it another name"));
            }
            let word = word.iter().map(|set| Ok(self.constant_set(set)?.iter().collect()));
            let word = word.collect::<Result<_, ModelError>>()?;
            found.push(NamedWord { name: name.clone(), word });
        }
        Ok(found)
    }

    fn word(&mut self, word: &str) -> i32 {
        if let Some(&known) = self.word_ids.get(word) {
            return known;
        }
        let id = self.words.len() as i32;
        self.words.push(word.to_owned());
        self.word_ids.insert(word.to_owned(), id);
        id
    }

    fn variable(&self, name: &str) -> Option<(&Variable, bool)> {
        let local = self.locals.iter().rev().find(|variable| variable.name == name);
        let data = || self.data.iter().find(|variable| variable.name == name);
        local.map(|found| (found, false)).or_else(|| data().map(|found| (found, true)))
    }

    /// Returns `None` if the expression may have another meaning.
    fn place(&self, expr: &syntax::Expr) -> Result<Option<(Place, Type)>, ModelError> {
        match &expr.kind {
            ExprKind::Name(name) => Ok(self.variable(name).map(|(variable, data)| {
                let width = variable.of.width().unwrap_or(1);
                let place = Place {
                    data,
                    offset: variable.offset,
                    variable: (variable.offset, width),
                    path: Vec::new(),
                    width,
                };
                (place, variable.of.clone())
            })),
            ExprKind::Member(of, field) => {
                let Some((mut place, of)) = self.place(of)? else { return Ok(None) };
                let Type::Tuple(fields) = of else { return Ok(None) };
                let mut offset = 0;
                for (name, of) in fields {
                    let width = of.width().unwrap_or(1);
                    if name == *field {
                        place.path.push(PlaceStep::Field(offset));
                        place.width = width;
                        return Ok(Some((place, of)));
                    }
                    offset += width;
                }
                Err(ModelError::new(expr.span, format!("the tuple has no field `{field}`")))
            }
            ExprKind::Index(of, index) => {
                let Some((mut place, of)) = self.place(of)? else { return Ok(None) };
                let Type::List(of, _) = of else {
                    let cause = format!("{} has no items", of.shown());
                    return Err(ModelError::new(expr.span, cause));
                };
                let width = of.width().unwrap_or(1);
                let index = self.integer(index)?;
                place.path.push(PlaceStep::Index { index, width, span: expr.span });
                place.width = width;
                Ok(Some((place, *of)))
            }
            _ => Ok(None),
        }
    }

    fn target(&self, expr: &syntax::Expr) -> Result<(Place, Type), ModelError> {
        match self.place(expr)? {
            Some((place, of)) if place.data => Ok((place, of)),
            Some(_) => Err(ModelError::new(expr.span, "an effect can change only data")),
            None => {
                let names = self.data.iter().map(|variable| variable.name.as_str());
                Err(self.unknown(expr, "variable", names))
            }
        }
    }

    fn list(&self, expr: &syntax::Expr) -> Result<(Place, Type, usize), ModelError> {
        match self.target(expr)? {
            (place, Type::List(of, capacity)) => Ok((place, *of, capacity)),
            (_, of) => Err(ModelError::new(expr.span, format!("{} is not a list", of.shown()))),
        }
    }

    fn effects(&mut self, statements: &[Statement]) -> Result<Vec<Effect>, ModelError> {
        statements.iter().map(|statement| self.effect(statement)).collect()
    }

    fn effect(&mut self, statement: &Statement) -> Result<Effect, ModelError> {
        let span = statement.span;
        Ok(match &statement.kind {
            StatementKind::Assign(target, value) => {
                let (place, of) = self.target(target)?;
                let value = self.value_of(value, &of)?;
                Effect::Assign(place, value, of, span)
            }
            StatementKind::Push(list, item) => {
                let (list, of, capacity) = self.list(list)?;
                Effect::Push { list, capacity, item: self.value_of(item, &of)?, of, span }
            }
            StatementKind::PopFront(list) => {
                let (list, of, _) = self.list(list)?;
                Effect::PopFront { list, width: of.width().unwrap_or(1), span }
            }
            StatementKind::Reverse(list) => {
                let (list, of, _) = self.list(list)?;
                Effect::Reverse { list, width: of.width().unwrap_or(1) }
            }
            StatementKind::If(condition, then, otherwise) => {
                let condition = self.flag(condition)?;
                Effect::If(condition, self.effects(then)?, self.effects(otherwise)?)
            }
            _ => {
                return Err(ModelError::new(span, "this statement is not allowed in an effect")
                    .hint("an effect may contain assignments, push, pop front, reverse and if"));
            }
        })
    }

    fn unknown<'n>(
        &self,
        expr: &syntax::Expr,
        wanted: &str,
        known: impl IntoIterator<Item = &'n str>,
    ) -> ModelError {
        let Some(name) = path(expr) else {
            return ModelError::new(expr.span, format!("not a known {wanted}"));
        };
        let error = ModelError::new(expr.span, format!("unknown {wanted} `{name}`"));
        match closest(&name, known) {
            Some(near) => error.hint(format!("write `{near}`, if that is what you mean")),
            None => error.hint(format!("declare it, or correct the name of the {wanted}")),
        }
    }
}

fn path(expr: &syntax::Expr) -> Option<String> {
    match &expr.kind {
        ExprKind::Name(name) | ExprKind::Text(name) => Some(name.clone()),
        ExprKind::Number(number) => Some(number.to_string()),
        ExprKind::Member(of, name) => Some(format!("{}.{name}", path(of)?)),
        _ => None,
    }
}

fn known(set: SetExpr, span: Span) -> Result<EventSet, ModelError> {
    match set {
        SetExpr::Constant(set) => Ok(set),
        _ => Err(ModelError::new(span, "these events depend on a variable")
            .hint("name the events themselves")),
    }
}

fn constant(words: impl Into<Vec<i32>>) -> Expr {
    Expr::Constant(words.into())
}
