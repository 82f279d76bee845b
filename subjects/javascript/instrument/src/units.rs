//! The counted units: statements, functions and branches as Istanbul counts them, and the goals of
//! a search.

use std::collections::BTreeMap;

use crate::words::Words;

/// How an execution shows that a unit was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hit {
    /// The counter with this number is not 0.
    Counter(u32),
    /// The decision at a site had this outcome.
    Outcome {
        /// Number of the site.
        site: u32,
        /// The outcome.
        taken: bool,
    },
    /// The first counter exceeds the second.
    Exceeds(u32, u32),
}

/// An outcome of a decision on which something depends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Control {
    /// Number of the site.
    pub site: u32,
    /// The outcome.
    pub outcome: bool,
}

/// A statement as Istanbul counts it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// Number of the file.
    pub file: u32,
    /// Range in bytes of the file.
    pub range: (u32, u32),
    /// Line, from 1.
    pub line: u32,
    /// The counter of executions.
    pub counter: u32,
    /// The enclosing function; `None` at the top level.
    pub function: Option<u32>,
    /// The outcomes on which the statement depends within its function, outermost first.
    pub control: Vec<Control>,
}

/// The kinds of expressions that Flycatcher's program counts in addition to statements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum NodeKind {
    /// A call.
    Call,
    /// An operator with two operands, including logical operators.
    Binary,
    /// An operator with one operand.
    Unary,
}

impl NodeKind {
    /// The name of the kind in goals.
    pub fn name(self) -> &'static str {
        match self {
            NodeKind::Call => "call",
            NodeKind::Binary => "binary",
            NodeKind::Unary => "unary",
        }
    }
}

/// An expression that Flycatcher's program counts in addition to statements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Number of the file.
    pub file: u32,
    /// Position in bytes of the file.
    pub start: u32,
    /// The kind of the expression.
    pub kind: NodeKind,
    /// How an execution shows that the expression was evaluated.
    pub hit: Hit,
    /// The enclosing function; `None` at the top level.
    pub function: Option<u32>,
    /// The outcomes on which the expression depends within its function, outermost first.
    pub control: Vec<Control>,
}

/// The type of a default value, from its syntax.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DefaultValue {
    /// A number.
    Number,
    /// A string.
    String,
    /// `true` or `false`.
    Boolean,
    /// An array literal.
    Array,
    /// An object literal.
    Object,
    /// A function, which may be an arrow function.
    Function,
    /// Anything else.
    Other,
}

/// A parameter as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// The name; `{}` and `[]` for patterns, `...name` for a rest parameter.
    pub name: String,
    /// The type of the default value, if any.
    pub default: Option<DefaultValue>,
}

/// A function, method, accessor, constructor or arrow function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// Number of the file.
    pub file: u32,
    /// Range in bytes of the file.
    pub range: (u32, u32),
    /// Line, from 1.
    pub line: u32,
    /// The name; empty if there is none.
    pub name: String,
    /// The parameters.
    pub parameters: Vec<Parameter>,
    /// The counter of entries.
    pub counter: u32,
    /// Whether Istanbul counts the function.
    pub counted: bool,
    /// The enclosing function; `None` at the top level.
    pub holder: Option<u32>,
    /// The outcomes on which the definition depends within the enclosing function.
    pub control: Vec<Control>,
    /// Whether the code of the function assigns to a property of `this`.
    pub assigns_this: bool,
    /// The comment before the function; empty if there is none.
    pub comment: String,
}

/// A function or class. The instrumented code contains the number of each, so values at run
/// time can be mapped to functions and classes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Callable {
    /// Number of the file.
    pub file: u32,
    /// Range in bytes of the file.
    pub range: (u32, u32),
    /// The function, or the constructor of the class; `None` if the class declares no constructor.
    pub function: Option<u32>,
    /// Whether this is a class.
    pub class: bool,
}

/// The kinds of branches, named as Istanbul names them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum BranchKind {
    /// `if`, two locations.
    If,
    /// `?:`, two locations.
    Conditional,
    /// `switch`, one location for each case.
    Switch,
    /// A logical chain, one location for each operand.
    Logical,
    /// A default value, one location.
    Default,
}

impl BranchKind {
    /// Istanbul's name.
    pub fn name(self) -> &'static str {
        match self {
            BranchKind::If => "if",
            BranchKind::Conditional => "cond-expr",
            BranchKind::Switch => "switch",
            BranchKind::Logical => "binary-expr",
            BranchKind::Default => "default-arg",
        }
    }
}

/// A branch as Istanbul counts it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Branch {
    /// Number of the file.
    pub file: u32,
    /// Range in bytes of the file.
    pub range: (u32, u32),
    /// Line, from 1.
    pub line: u32,
    /// The kind of the branch.
    pub kind: BranchKind,
    /// How an execution shows that each location was reached.
    pub locations: Vec<Hit>,
}

/// The kinds of goals of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum GoalKind {
    /// The entry of a function.
    Function,
    /// A location of a branch that Istanbul counts.
    Branch(BranchKind),
    /// A loop: its body is entered, or the loop ends.
    Loop,
    /// An outcome of optional chaining (`?.`) or of a logical assignment.
    Optional,
    /// A statement.
    Statement,
    /// An expression that Flycatcher's program counts.
    Node,
}

/// A goal of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Goal {
    /// Number of the file.
    pub file: u32,
    /// Position in bytes of the file.
    pub start: u32,
    /// The kind of the goal.
    pub kind: GoalKind,
    /// The outcome, such as `true`, `case 2` or `enters`, or the name of the function.
    pub outcome: String,
    /// How an execution shows that the goal is covered.
    pub hit: Hit,
    /// The enclosing function, or the function whose entry is the goal; `None` at the top level.
    pub function: Option<u32>,
    /// The outcomes on which the goal depends within its function, outermost first.
    pub control: Vec<Control>,
}

/// A file with units.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    /// The path, relative to the root of the project.
    pub path: String,
    /// The text.
    pub source: String,
    /// The words of the file.
    pub words: Words,
    lines: Vec<u32>,
    /// The number of UTF-16 units before each block of [`BLOCK`] bytes, and of the whole text,
    /// so that positions in long lines are found quickly.
    units: Vec<u32>,
}

/// Size of a block of a file, in bytes.
const BLOCK: usize = 1024;

/// The number of UTF-16 units of the characters that begin in a part of a UTF-8 string.
fn utf16_units(bytes: &[u8]) -> u32 {
    let begins = bytes.iter().filter(|byte| **byte & 0xC0 != 0x80);
    begins.map(|byte| if *byte >= 0xF0 { 2 } else { 1 }).sum()
}

impl SourceFile {
    pub(crate) fn new(path: &str, source: &str) -> SourceFile {
        let breaks = source.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let mut units = vec![0];
        for block in source.as_bytes().chunks(BLOCK) {
            units.push(units[units.len() - 1] + utf16_units(block));
        }
        let lines = std::iter::once(0).chain(breaks.map(|(at, _)| at as u32 + 1)).collect();
        SourceFile {
            path: path.to_owned(),
            source: source.to_owned(),
            words: Words::default(),
            lines,
            units,
        }
    }

    /// Line, from 1, and column in UTF-16 units, from 0, of a position in bytes.
    pub fn position(&self, at: u32) -> (u32, u32) {
        let line = self.line(at);
        let start = self.lines.get(line as usize - 1).copied().unwrap_or(0);
        (line, self.units_before(at).saturating_sub(self.units_before(start)))
    }

    /// Line, from 1, of a position in bytes.
    pub(crate) fn line(&self, at: u32) -> u32 {
        self.lines.partition_point(|start| *start <= at).max(1) as u32
    }

    fn units_before(&self, at: u32) -> u32 {
        let block = at as usize / BLOCK;
        let counted = self.units.get(block).copied().unwrap_or(0);
        let part = self.source.as_bytes().get(block * BLOCK..at as usize);
        counted + part.map_or(0, utf16_units)
    }
}

/// The units of all files that were instrumented together. Counters, sites and chains are numbered
/// across all files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Units {
    /// The files.
    pub files: Vec<SourceFile>,
    /// Number of counters.
    pub counters: u32,
    /// Counters of steps: statements, entries of functions, and iterations of loops.
    pub steps: Vec<u32>,
    /// Number of sites.
    pub sites: u32,
    /// Stack programs of logical chains, which compute the distances of their parts: a number from
    /// 0 pushes the distances of the site of an operand; -1, -2 and -3 combine the top two for
    /// `&&`, `||` and `??`; and `-10 - site` stores the top as the distances of a site.
    pub chains: Vec<Vec<i32>>,
    /// Istanbul's statements.
    pub statements: Vec<Statement>,
    /// Statements that comments tell Istanbul to ignore.
    pub ignored: Vec<Statement>,
    /// Expressions that Flycatcher's program counts in addition to statements.
    pub nodes: Vec<Node>,
    /// File and line of the operators of an inference build.
    pub operator_lines: Vec<(u32, u32)>,
    /// All functions.
    pub functions: Vec<Function>,
    /// Functions and classes by their numbers in the instrumented code.
    pub callables: Vec<Callable>,
    /// Istanbul's branches.
    pub branches: Vec<Branch>,
    /// The goals of a search.
    pub goals: Vec<Goal>,
    /// Numbers that occur in the files, as bits of `f64`.
    pub numbers: BTreeMap<u64, ()>,
    /// Short strings that occur in the files.
    pub texts: BTreeMap<String, ()>,
    /// Number of uses of `eval`, `new Function` and `with`.
    pub dynamic: u32,
}

impl Units {
    /// The lines of a file on which a counted statement begins, in ascending order.
    pub fn lines(&self, file: u32) -> Vec<u32> {
        let statements = self.statements.iter().filter(|statement| statement.file == file);
        let mut lines: Vec<u32> = statements.map(|statement| statement.line).collect();
        lines.sort_unstable();
        lines.dedup();
        lines
    }

    /// The name of a goal, such as `lib/list.js:12:5 if true` or `lib/list.js:3:2 function add`.
    pub fn goal_name(&self, goal: &Goal) -> String {
        let file = &self.files[goal.file as usize];
        let (line, column) = file.position(goal.start);
        let kind = match goal.kind {
            GoalKind::Function => "function",
            GoalKind::Branch(kind) => kind.name(),
            GoalKind::Loop => "loop",
            GoalKind::Optional => "optional",
            GoalKind::Statement => "statement",
            GoalKind::Node => "node",
        };
        let name = format!("{}:{line}:{} {kind} {}", file.path, column + 1, goal.outcome);
        name.trim_end().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_counted_in_utf16_units_also_in_long_lines() {
        let long = "aé\u{1F600}".repeat(900);
        let exact = "b".repeat(2 * BLOCK);
        for source in [String::new(), exact.clone(), format!("x\n{long}\n\n{long}y"), long] {
            let file = SourceFile::new("a.js", &source);
            let ends = source.char_indices().map(|(at, _)| at).chain([source.len()]);
            for at in ends {
                let before = &source[..at];
                let line = before.rsplit('\n').next().unwrap_or("");
                let expected =
                    (before.matches('\n').count() as u32 + 1, line.encode_utf16().count() as u32);
                assert_eq!(file.position(at as u32), expected, "{at}");
            }
            assert_eq!(file.position(u32::MAX).1, 0);
        }
    }
}
