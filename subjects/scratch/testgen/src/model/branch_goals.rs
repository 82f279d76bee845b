//! Branches as goals of the search.

use catherd_scratch_sb3::{BlockNo, Project};
use catherd_scratch_suite::goals::{self, Branch};

use crate::fitness::normalized;
use catherd_scratch_trace::Trace;

#[derive(Clone, Copy, Debug)]
pub(crate) struct BranchGoal {
    branch: Branch,
    pub(crate) number: BlockNo,
    /// Number of the block among the goals.
    pub(crate) block: usize,
}

pub(super) fn of(project: &Project, blocks: &[BlockNo]) -> Vec<BranchGoal> {
    let numbers = goals::branches(project, blocks);
    let goals = numbers.into_iter().filter_map(|number| {
        let branch = Branch::of(number, project.block_count())?;
        let block = blocks.binary_search(&branch.block).ok()?;
        Some(BranchGoal { branch, number, block })
    });
    goals.collect()
}

impl BranchGoal {
    pub(crate) fn decider(&self) -> BlockNo {
        self.branch.block
    }

    /// The fitness of an execution for the branch, computed from the fitness for its block: 0 if
    /// the branch was taken; `alpha(b) + 1` with the distance `b` to the outcome if only the block
    /// was reached; and one approach level more than the block otherwise.
    ///
    /// In Whisker, the fitness of a branch has no level for a block that was not reached, so
    /// reaching the block can increase the fitness value.
    pub(crate) fn fitness(&self, trace: &Trace, of_block: f64) -> f64 {
        if trace.covered(self.number) {
            0.0
        } else if of_block > 0.0 {
            of_block + 2.0
        } else {
            let distance = trace.record(self.branch.block).map_or(1.0, |(to_true, to_false)| {
                if self.branch.outcome { to_true } else { to_false }
            });
            normalized(distance) + 1.0
        }
    }
}

#[cfg(test)]
mod tests {
    use catherd_scratch_sb3::test_support::LabelledProject;
    use catherd_scratch_suite::goals::GoalSet;

    use crate::fitness::Workspace;
    use crate::model::Model;
    use crate::{Compat, Criteria};
    use catherd_scratch_trace::Trace;

    #[test]
    fn branches_follow_the_blocks_and_are_one_level_below_theirs() {
        let sample = LabelledProject::new("# Cat\n a=flag b=if { c=if { d=say } }");
        let of =
            |criteria| Model::of(&sample.project, GoalSet::Published, criteria, Compat::default());
        let blocks = of(Criteria::Blocks);
        let both = of(Criteria::BlocksAndBranches);
        assert_eq!((blocks.goals().len(), both.goals().len(), both.block_goals()), (4, 8, 4));
        assert_eq!(both.goals()[..4], *blocks.goals());
        let goal = |label: &str| both.goal(sample.block(label)).unwrap();
        let outer = goal("b");
        // There are two branches for each of the two conditions, in the order of blocks: first the
        // outcome false, then the outcome true.
        let number = |label: &str, outcome: bool| {
            let first = if goal(label) == outer { 4 } else { 6 };
            first + usize::from(outcome)
        };
        let (mut trace, mut fitness) = (Trace::with_branches(both.block_count(), true), Vec::new());
        for label in ["a", "b"] {
            trace.cover(sample.block(label));
        }
        trace.record_min(sample.block("b"), 3.0, 0.0);
        both.evaluate(&trace, &mut fitness, &mut Workspace::default());
        assert_eq!(fitness[number("b", false)], 0.0);
        assert_eq!(fitness[number("b", true)], 1.75, "the block is reached: 3/4, and 1");
        assert_eq!(fitness[number("c", true)], fitness[goal("c")] + 2.0);
        assert_eq!(both.dependencies()[number("c", true)], [goal("c")]);
        assert_eq!(both.depth(number("c", true)), both.depth(goal("c")) + 1);

        let mut before = Vec::new();
        blocks.evaluate(&trace, &mut before, &mut Workspace::default());
        assert_eq!(before, fitness[..4], "blocks keep their fitness");

        let branches = of(Criteria::Branches);
        branches.evaluate(&trace, &mut fitness, &mut Workspace::default());
        assert_eq!(fitness[goal("a")], 0.0);
        assert_eq!(fitness[goal("c")], f64::INFINITY, "no distance leads to blocks");
        assert!(!branches.is_aimed_at(goal("c")) && branches.is_aimed_at(number("c", true)));
        assert_eq!(*branches.independent_goals(), [4, 5, 6, 7]);
    }
}
