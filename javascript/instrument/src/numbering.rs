//! Numbers of counters and sites, and the units that have them.

use crate::units::{Branch, BranchKind, Control, Goal, GoalKind, Hit, Statement as StatementUnit};
use crate::visitor::Visitor;

impl Visitor<'_, '_> {
    pub(crate) fn line(&self, at: u32) -> u32 {
        self.units.files[self.file as usize].position(at).0
    }

    pub(crate) fn counter(&mut self) -> u32 {
        self.units.counters += 1;
        self.units.counters - 1
    }

    pub(crate) fn site(&mut self) -> u32 {
        self.units.sites += 1;
        self.units.sites - 1
    }

    /// The text that increments a counter.
    pub(crate) fn count(&self, counter: u32) -> String {
        format!("{}s[{counter}]++", self.prefix)
    }

    pub(crate) fn step(&mut self) -> u32 {
        let counter = self.counter();
        self.units.steps.push(counter);
        counter
    }

    pub(crate) fn add_goal(&mut self, start: u32, kind: GoalKind, outcome: &str, hit: Hit) {
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

    /// A branch of two outcomes of a site.
    pub(crate) fn two_way(&mut self, range: (u32, u32), kind: BranchKind, site: u32) {
        let locations = [true, false].map(|taken| Hit::Outcome { site, taken });
        self.add_branch(range, kind, locations.to_vec());
        for hit in locations {
            let outcome =
                if hit == (Hit::Outcome { site, taken: true }) { "true" } else { "false" };
            self.add_goal(range.0, GoalKind::Branch(kind), outcome, hit);
        }
    }

    pub(crate) fn add_branch(&mut self, range: (u32, u32), kind: BranchKind, locations: Vec<Hit>) {
        let (file, line) = (self.file, self.line(range.0));
        self.units.branches.push(Branch { file, range, line, kind, locations });
    }

    pub(crate) fn add_statement(&mut self, start: u32, end: u32) -> u32 {
        let counter = self.step();
        let line = self.line(start);
        self.units.statements.push(StatementUnit {
            file: self.file,
            range: (start, end),
            line,
            counter,
            function: self.function,
            control: self.control.clone(),
        });
        counter
    }
}
