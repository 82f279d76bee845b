//! Numbering of counters and sites, and of the units to which they belong.

use crate::Build;
use crate::units::{
    Branch, BranchKind, Control, Goal, GoalKind, Hit, Node, NodeKind, Statement as StatementUnit,
};
use crate::visitor::Visitor;

/// The bit at which the number of a line begins in the code of an operator.
const LINE_SHIFT: u32 = 9;

impl Visitor<'_, '_> {
    pub(crate) fn line(&self, at: u32) -> u32 {
        self.units.files[self.file as usize].line(at)
    }

    pub(crate) fn counter(&mut self) -> u32 {
        self.units.counters += 1;
        self.units.counters - 1
    }

    pub(crate) fn site(&mut self) -> u32 {
        self.units.sites += 1;
        self.units.sites - 1
    }

    pub(crate) fn count(&self, counter: u32) -> String {
        format!("{}s[{counter}]++", self.prefix)
    }

    pub(crate) fn step(&mut self) -> u32 {
        let counter = self.counter();
        self.units.steps.push(counter);
        counter
    }

    pub(crate) fn add_goal(&mut self, start: u32, kind: GoalKind, outcome: &str, hit: Hit) {
        if self.ignored.at(start) {
            return;
        }
        let mut control = self.control.clone();
        if let Hit::Outcome { site, taken } = hit {
            control.push(Control { site, outcome: taken });
        }
        self.units.goals.push(Goal {
            file: self.file,
            start,
            kind,
            outcome: outcome.to_owned(),
            hit,
            function: self.function,
            control,
        });
    }

    /// `counted` selects the outcomes that are locations of the branch: the first element for true,
    /// the second for false.
    pub(crate) fn two_way(
        &mut self,
        range: (u32, u32),
        kind: BranchKind,
        site: u32,
        counted: [bool; 2],
    ) {
        let outcomes = [(true, "true"), (false, "false")].into_iter().zip(counted);
        let outcomes = outcomes.filter(|(_, counted)| *counted);
        let mut locations = Vec::new();
        for ((taken, outcome), _) in outcomes {
            let hit = Hit::Outcome { site, taken };
            locations.push(hit);
            self.add_goal(range.0, GoalKind::Branch(kind), outcome, hit);
        }
        self.add_branch(range, kind, locations);
    }

    pub(crate) fn add_branch(&mut self, range: (u32, u32), kind: BranchKind, locations: Vec<Hit>) {
        if locations.is_empty() || self.ignored.at(range.0) {
            return;
        }
        let (file, line) = (self.file, self.line(range.0));
        self.units.branches.push(Branch { file, range, line, kind, locations });
    }

    pub(crate) fn add_statement(&mut self, start: u32, end: u32) -> u32 {
        self.add_statement_of(start, (start, end))
    }

    /// The statement is ignored if the node that begins at `holder` is ignored.
    pub(crate) fn add_statement_of(&mut self, holder: u32, range: (u32, u32)) -> u32 {
        let counter = self.step();
        let statement = StatementUnit {
            file: self.file,
            range,
            line: self.line(range.0),
            counter,
            function: self.function,
            control: self.control.clone(),
        };
        if self.ignored.at(holder) {
            self.units.ignored.push(statement);
        } else {
            self.units.statements.push(statement);
            self.statement = Some(self.units.statements.len() - 1);
        }
        counter
    }

    /// Adds an expression that Flycatcher's program counts.
    pub(crate) fn add_node(&mut self, start: u32, kind: NodeKind) {
        if self.ignored.at(start) {
            return;
        }
        let statement = self.statement.map(|number| &self.units.statements[number]);
        let outside = statement.map_or(0, |statement| statement.control.len());
        let operand = self.operand.filter(|operand| {
            (operand.statement, operand.depth) == (self.statement, self.control.len())
        });
        let decisions = self.control.get(outside..).unwrap_or_default();
        let hit = match (operand, decisions, statement, self.function) {
            (Some(operand), ..) => Hit::Counter(operand.counter),
            (_, [.., last], ..) => Hit::Outcome { site: last.site, taken: last.outcome },
            (_, _, Some(statement), _) => Hit::Counter(statement.counter),
            (_, _, None, Some(function)) => {
                Hit::Counter(self.units.functions[function as usize].counter)
            }
            (_, _, None, None) => return,
        };
        self.units.nodes.push(Node {
            file: self.file,
            start,
            kind,
            hit,
            function: self.function,
            control: self.control.clone(),
        });
    }

    pub(crate) fn operator_line(&mut self, start: u32) -> u32 {
        if self.build != Build::Inference {
            return 0;
        }
        let line = (self.file, self.line(start));
        if self.units.operator_lines.last() != Some(&line) {
            self.units.operator_lines.push(line);
        }
        (self.units.operator_lines.len() as u32) << LINE_SHIFT
    }
}
