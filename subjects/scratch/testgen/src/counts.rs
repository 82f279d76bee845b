//! Counts of a run of test generation.

/// Counts of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Number of goals of the project.
    pub goals: u64,
    /// Number of goals that the run covered.
    pub covered: u64,
    /// Number of iterations of the algorithm; see [`Budget`](catherd_search::Budget::iterations).
    pub iterations: u64,
    /// Number of executed tests and applications of extension.
    pub executions: u64,
    /// Number of evaluations: one for each executed test and each event that extension appended.
    pub evaluations: u64,
    /// Number of events of executed tests, without the waits between them and without the events
    /// that extension appended.
    pub events: u64,
    /// Number of steps that the search executed.
    pub steps: u64,
    /// Number of executions that ended early because the program hung.
    pub hung_tests: u64,
    /// Number of executions until all goals were covered; `None` if some goal was not covered.
    pub executions_to_full_coverage: Option<u64>,
    /// Number of tests in the final suite.
    pub suite_tests: u64,
    /// Number of events in the final suite. Whisker also counts the waits between them, which
    /// results in twice this number.
    pub suite_events: u64,
    /// Number of stable assertions in the final suite.
    pub suite_assertions: u64,
    /// Number of goals that some test of the final suite covered in all its re-executions; `None`
    /// without assertions.
    pub robust: Option<u64>,
    /// Number of flaky assertions in the final suite.
    pub suite_flaky: u64,
    /// Number of tests by which the final suite is smaller than the archive.
    pub minimised_tests: u64,
    /// Number of events that minimisation removed.
    pub minimised_events: u64,
    /// Number of codons that minimisation removed.
    pub minimised_codons: u64,
    /// Number of executions during minimisation, which are not part of the search.
    pub minimisation_executions: u64,
}

impl Counts {
    /// The counts by name. Counts in the result files of Whisker have the names used there.
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
