//! Counts of a run.

/// Counts of a run. Counts that Whisker's result files contain have the same names as there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Goals of the project.
    pub goals: u64,
    /// Goals that the search covered.
    pub covered: u64,
    /// Iterations as the algorithm counts them: executions (random), generations after
    /// the first (MOSA), sampled and mutated tests (MIO).
    pub iterations: u64,
    /// Executed chromosomes and applications of extension.
    pub executions: u64,
    /// Number of evaluations: one for each executed chromosome and each event that extension
    /// appended.
    pub evaluations: u64,
    /// Events of executed chromosomes, without the waits between them and without the events that
    /// extension appended.
    pub events: u64,
    /// Steps of the search.
    pub steps: u64,
    /// Hung tests: executions that ended early because for a second every step of the program
    /// executed the maximum number of blocks, as an endless loop without screen refresh does.
    pub hung_tests: u64,
    /// Number of executions up to and including the execution that covered the last goal; `None` if
    /// goals remain.
    pub executions_to_full_coverage: Option<u64>,
    /// Tests of the final suite.
    pub suite_tests: u64,
    /// Number of events in the final suite. Whisker also counts the waits between them, which gives
    /// twice this number.
    pub suite_events: u64,
    /// Stable assertions of the final suite.
    pub suite_assertions: u64,
    /// Goals that some test of the final suite covered in all of its re-executions as well; `None`
    /// without assertions, because nothing was executed again.
    pub robust: Option<u64>,
    /// Flaky assertions of the final suite.
    pub suite_flaky: u64,
    /// Number of tests of the archive that the final suite does not contain.
    pub minimised_tests: u64,
    /// Events that minimisation removed.
    pub minimised_events: u64,
    /// Codons that minimisation removed, which is Whisker's unit.
    pub minimised_codons: u64,
    /// Executions of minimisation, which are not part of the search.
    pub minimisation_executions: u64,
}

impl Counts {
    /// The counts by name.
    pub fn named(&self) -> impl Iterator<Item = (&'static str, u64)> {
        [
            ("fitnessFunctionCount", Some(self.goals)),
            ("coveredFitnessFunctionCount", Some(self.covered)),
            ("iterationCount", Some(self.iterations)),
            ("executedTests", Some(self.executions)),
            ("numberFitnessEvaluations", Some(self.evaluations)),
            ("executedEventsCount", Some(self.events)),
            ("steps", Some(self.steps)),
            ("stuckTests", Some(self.hung_tests)),
            ("createdTestsToReachFullCoverage", self.executions_to_full_coverage),
            ("bestTestSuiteSize", Some(self.suite_tests)),
            ("suiteEvents", Some(self.suite_events)),
            ("testsuiteEventCount", Some(2 * self.suite_events)),
            ("suiteAssertions", Some(self.suite_assertions)),
            ("robustlyCoveredCount", self.robust),
            ("suiteFlakyAssertions", Some(self.suite_flaky)),
            ("minimizedTests", Some(self.minimised_tests)),
            ("minimizedEvents", Some(self.minimised_events)),
            ("minimizedCodons", Some(self.minimised_codons)),
            ("minimizationExecutions", Some(self.minimisation_executions)),
        ]
        .into_iter()
        .filter_map(|(name, count)| Some((name, count?)))
    }
}
