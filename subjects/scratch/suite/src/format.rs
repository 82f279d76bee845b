//! The format of suite files: versioned JSON with a separate line for each event and assertion.

mod assertion;
mod event;
mod machine;
mod network;
mod policy;
mod rule_text;
mod version;

use serde::{Deserialize, Serialize};

pub use assertion::{Assertion, Effect, Expected, Tolerances};
pub use event::SuiteEvent;
pub use network::{Choice, Instance, Pair, Reacting, Sent, Sight, SuiteNetwork};
pub use policy::{
    Axis, Comparison, Edge, Follow, Guard, Mouse, Near, Press, Proposal, SuitePolicy, SuiteRule,
};
pub use version::FORMAT;

use crate::error::{SuiteError, UnknownSprite};
use crate::event::{Event, Vocabulary};
use machine::Machine;

/// Name of the engine in suites.
pub const ENGINE: &str = "scratch 5";

/// A test suite: everything that an execution needs, except the project.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Suite {
    /// Newest version of the format that this release supports, whatever version the file has.
    pub format: u32,
    /// The engine that generated the suite, such as [`ENGINE`].
    pub engine: String,
    /// Digest of the project that the suite tests; empty if unknown.
    pub project: String,
    /// The search algorithm.
    pub algorithm: String,
    /// Seed of the VM's random numbers; in a generated suite, usually the seed of the run.
    pub seed: u64,
    /// Number of the project's goals.
    pub goals: u32,
    /// Settings of the VM that executes the suite.
    #[serde(default, with = "Machine")]
    pub machine: catherd_scratch_vm::VmSettings,
    /// Tolerances of the assertions.
    #[serde(default)]
    pub tolerances: Tolerances,
    /// Whether assertions treat any two strings that are not numerals as equal, as in Whisker's
    /// published code.
    #[serde(default)]
    pub nan_equal: bool,
    /// The tests.
    pub tests: Vec<SuiteTest>,
}

impl Default for Suite {
    /// A suite without tests for an unknown project, in the format of this release.
    fn default() -> Self {
        Self {
            format: FORMAT,
            engine: ENGINE.to_owned(),
            project: String::new(),
            algorithm: String::new(),
            seed: 0,
            goals: 0,
            machine: catherd_scratch_vm::VmSettings::default(),
            tolerances: Tolerances::default(),
            nan_equal: false,
            tests: Vec::new(),
        }
    }
}

/// A test: the green flag, then events, each followed by a wait of one step, and possibly a policy.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SuiteTest {
    /// The numbers of the goals that the test covers, ascending.
    pub covers: Vec<u32>,
    /// The goals in `covers` that the test missed in at least one re-execution, ascending; empty if
    /// this was not measured.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub chance: Vec<u32>,
    /// Number of re-executions in which all stable assertions held, if the requested number of
    /// successive re-executions was not reached.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reexecutions: Option<u32>,
    /// Number of codons of the chromosome from which the test was generated; with random testing,
    /// the drawn number of events; 0 for other tests.
    pub codons: u32,
    /// Seed of the VM's random numbers in this test; `None` for the seed of the suite.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// The events.
    pub events: Vec<SuiteEvent>,
    /// The policy that chooses the events after `events`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<SuitePolicy>,
    /// Stable assertions, which held in all executions of the test, ordered by event.
    #[serde(default)]
    pub assertions: Vec<Assertion>,
    /// Flaky assertions, which held when they were made but may fail in other executions, ordered
    /// by event.
    #[serde(default)]
    pub flaky: Vec<Assertion>,
}

impl SuiteTest {
    /// Whether the test presses keys.
    pub fn presses_keys(&self) -> bool {
        let press = |event: &SuiteEvent| matches!(event, SuiteEvent::KeyPress { .. });
        self.events.iter().any(press) || self.policy.as_ref().is_some_and(SuitePolicy::presses_keys)
    }

    /// Whether a network chooses events of the test.
    pub fn is_played_by_network(&self) -> bool {
        self.policy.as_ref().is_some_and(|policy| policy.network.is_some())
    }

    /// Number of positions after which an assertion may be checked: the events, and the policy as
    /// one more.
    pub(crate) fn positions(&self) -> usize {
        self.events.len() + usize::from(self.policy.is_some())
    }

    /// The events, whose keys and answers are added to the vocabulary. `number` is the position of
    /// the test in its suite.
    pub(crate) fn resolve(
        &self,
        number: usize,
        words: &mut Vocabulary,
    ) -> Result<Vec<Event>, SuiteError> {
        let events = self.events.iter().map(|event| event.resolve(words));
        events
            .collect::<Result<_, _>>()
            .map_err(|UnknownSprite(sprite)| SuiteError::Sprite { test: number, sprite })
    }
}

pub(crate) fn json<T: Serialize + ?Sized>(value: &T) -> String {
    // Writing fails only for maps whose keys are not strings, and suites contain no maps.
    serde_json::to_string(value).expect("suites hold numbers, strings and lists")
}

fn lines<T: Serialize>(text: &mut String, name: &str, list: &[T]) {
    text.push_str(&format!(", \"{name}\": ["));
    for (position, element) in list.iter().enumerate() {
        let comma = if position == 0 { "" } else { "," };
        text.push_str(&format!("{comma}\n      {}", json(element)));
    }
    text.push_str(if list.is_empty() { "]" } else { "\n    ]" });
}

struct MachineOf<'a>(&'a Suite);

impl Serialize for MachineOf<'_> {
    fn serialize<S: serde::Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        Machine::serialize(&self.0.machine, out)
    }
}

impl Suite {
    /// The suite as JSON text, with a separate line for each event and assertion.
    pub fn to_json(&self) -> String {
        let mut text = String::new();
        text.push_str("{\n");
        let head = [
            ("format", json(&self.written_format())),
            ("engine", json(&self.engine)),
            ("project", json(&self.project)),
            ("algorithm", json(&self.algorithm)),
            ("seed", json(&self.seed)),
            ("goals", json(&self.goals)),
            ("machine", json(&MachineOf(self))),
            ("tolerances", json(&self.tolerances)),
            ("nan_equal", json(&self.nan_equal)),
        ];
        for (name, value) in head {
            text.push_str(&format!("  \"{name}\": {value},\n"));
        }
        text.push_str("  \"tests\": [");
        for (position, test) in self.tests.iter().enumerate() {
            let comma = if position == 0 { "" } else { "," };
            let (covers, codons) = (json(&test.covers), test.codons);
            text.push_str(&format!("{comma}\n    {{ \"covers\": {covers}"));
            if !test.chance.is_empty() {
                text.push_str(&format!(", \"chance\": {}", json(&test.chance)));
            }
            if let Some(reexecutions) = test.reexecutions {
                text.push_str(&format!(", \"reexecutions\": {reexecutions}"));
            }
            text.push_str(&format!(", \"codons\": {codons}"));
            if let Some(seed) = test.seed {
                text.push_str(&format!(", \"seed\": {seed}"));
            }
            lines(&mut text, "events", &test.events);
            if let Some(policy) = &test.policy {
                text.push_str(&format!(", \"policy\": {{ \"most\": {}", policy.most));
                lines(&mut text, "rules", &policy.rules);
                lines(&mut text, "answers", &policy.answers);
                if let Some(network) = &policy.network {
                    text.push_str(&format!(", \"network\": {}", json(network)));
                }
                text.push_str(" }");
            }
            lines(&mut text, "assertions", &test.assertions);
            lines(&mut text, "flaky", &test.flaky);
            text.push_str(" }");
        }
        text.push_str("\n  ]\n}\n");
        text
    }

    /// Reads a suite.
    ///
    /// # Errors
    /// If the text is not a valid suite.
    pub fn from_json(text: &str) -> Result<Suite, SuiteError> {
        #[derive(Deserialize)]
        struct Version {
            format: u32,
        }
        let Version { format } = serde_json::from_str(text)?;
        if !(1..=FORMAT).contains(&format) {
            return Err(SuiteError::Format { found: format, newest: FORMAT });
        }
        let suite = Suite { format: FORMAT, ..serde_json::from_str(text)? };
        machine::check(&suite.machine)?;
        Ok(suite)
    }

    /// The seed of the VM in a test.
    pub fn seed_of(&self, test: &SuiteTest) -> u64 {
        test.seed.unwrap_or(self.seed)
    }

    /// Sets the seed under which all tests are executed. Tests lose their separate seeds, unless
    /// the seed is already the seed of the suite.
    pub fn reseed(&mut self, seed: u64) {
        if seed != self.seed {
            self.seed = seed;
            self.tests.iter_mut().for_each(|test| test.seed = None);
        }
    }

    /// Checks that the suite is for the project with this digest, or for an unknown project.
    ///
    /// # Errors
    /// If the suite is for a different project.
    pub fn belongs_to(&self, digest: &str) -> Result<(), SuiteError> {
        if self.project.is_empty() || self.project == digest {
            return Ok(());
        }
        Err(SuiteError::Project { suite: self.project.clone(), project: digest.to_owned() })
    }

    /// Number of goals that at least one test covers and never missed in its re-executions.
    pub fn robust(&self) -> usize {
        let lasting = |test: &'_ SuiteTest| {
            let chance = test.chance.clone();
            test.covers.clone().into_iter().filter(move |goal| chance.binary_search(goal).is_err())
        };
        let mut goals: Vec<u32> = self.tests.iter().flat_map(lasting).collect();
        goals.sort_unstable();
        goals.dedup();
        goals.len()
    }

    /// Number of stable assertions in all tests.
    pub fn assertions(&self) -> u64 {
        self.tests.iter().map(|test| test.assertions.len() as u64).sum()
    }

    /// Number of events in all tests, without the waits between them.
    pub fn events(&self) -> u64 {
        self.tests.iter().map(|test| test.events.len() as u64).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn suite() -> Suite {
        let events = vec![
            SuiteEvent::KeyPress { key: "left arrow".into(), steps: 3 },
            SuiteEvent::ClickClone { sprite: "Cat \"1\"".into(), clone: 0, x: 0.1 + 0.2, y: -1e-7 },
            SuiteEvent::ClickStage,
        ];
        let expect = |after, expect| Assertion { after, sprite: None, clone: 0, expect };
        let assertions = vec![
            expect(0, Expected::Backdrop(2)),
            expect(1, Expected::Variable { variable: "a\n\"b".into(), value: "\u{2028}".into() }),
        ];
        let expect = |expect| Assertion { after: 2, sprite: Some("Cat".into()), clone: 3, expect };
        let flaky = vec![
            expect(Expected::Position { x: f64::NEG_INFINITY, y: -0.1 }),
            expect(Expected::Effect { effect: Effect::Ghost, value: 1e300 }),
            expect(Expected::Bubble(None)),
        ];
        let test = SuiteTest {
            covers: vec![0, 3],
            codons: 9,
            events,
            assertions,
            flaky,
            ..SuiteTest::default()
        };
        let empty = SuiteTest {
            events: Vec::new(),
            assertions: Vec::new(),
            flaky: Vec::new(),
            ..test.clone()
        };
        Suite {
            format: FORMAT,
            engine: "catherd 0.1.0".into(),
            project: "abc".into(),
            algorithm: "mio".into(),
            seed: u64::MAX,
            goals: 5,
            machine: catherd_scratch_vm::VmSettings {
                timer_increment: 0.075,
                ..Default::default()
            },
            tolerances: Tolerances { position: 0.5, ..Tolerances::default() },
            nan_equal: true,
            tests: vec![test, empty],
        }
    }

    #[test]
    fn files_keep_every_bit() {
        let suite = suite();
        let text = suite.to_json();
        assert_eq!(Suite::from_json(&text).unwrap(), suite);
        for line in [
            r#"      {"event":"KeyPress","key":"left arrow","steps":3},"#,
            r#"      {"after":0,"expect":{"backdrop":2}},"#,
            r#"      {"after":2,"sprite":"Cat","clone":3,"expect":{"position":{"x":"-Infinity","y":-0.1}}},"#,
        ] {
            assert!(text.lines().any(|l| l == line), "{line}\n{text}");
        }
    }

    #[test]
    fn not_a_number_is_written_and_read() {
        let assertion =
            Assertion { after: 0, sprite: None, clone: 0, expect: Expected::Volume(f64::NAN) };
        let text = json(&assertion);
        assert_eq!(text, r#"{"after":0,"expect":{"volume":"NaN"}}"#);
        let read: Assertion = serde_json::from_str(&text).unwrap();
        assert!(matches!(read.expect, Expected::Volume(volume) if volume.is_nan()));
        assert!(serde_json::from_str::<Assertion>(&text.replace("NaN", "many")).is_err());
    }

    #[test]
    fn suites_of_the_first_format_are_read() {
        let old = r#"{ "format": 1, "engine": "catherd 0.1.0", "project": "abc",
            "algorithm": "mio", "seed": 7, "goals": 5, "tests": [
              { "covers": [0], "codons": 3, "events": [{"event":"Wait","steps":2}] } ] }"#;
        let suite = Suite::from_json(old).unwrap();
        assert_eq!(suite.format, FORMAT);
        assert_eq!(suite.machine, catherd_scratch_vm::VmSettings::default());
        assert_eq!(suite.tests[0].events, [SuiteEvent::Wait { steps: 2 }]);
        assert!(suite.tests[0].assertions.is_empty());
    }

    #[test]
    fn other_files_are_refused_with_the_reason() {
        let newer = suite().to_json().replace("\"format\": 2", "\"format\": 8");
        let refused = |text: &str| Suite::from_json(text).unwrap_err().to_string();
        assert_eq!(
            refused(&newer),
            "the suite has format 8, but this release reads formats 1 to 7"
        );
        let unknown = suite().to_json().replace("KeyPress", "Telepathy");
        assert!(refused(&unknown).contains("unknown variant `Telepathy`"), "{}", refused(&unknown));
        let unknown = suite().to_json().replace("\"backdrop\"", "\"mood\"");
        assert!(refused(&unknown).contains("unknown variant `mood`"), "{}", refused(&unknown));
        let unknown = suite().to_json().replace("\"steps\":3", "\"steps\":3,\"mood\":1");
        assert!(refused(&unknown).contains("unknown field `mood`"), "{}", refused(&unknown));
        let endless =
            suite().to_json().replace("\"warp_budget\":1000000", "\"warp_budget\":16000001");
        assert_eq!(
            refused(&endless),
            "the suite's machine: setting `warp_budget` is 16000001; the maximum is 16000000"
        );
        for damaged in ["{", "", "[]", "{\"format\": 2}"] {
            assert!(refused(damaged).starts_with("not a test suite: "), "{}", refused(damaged));
        }
    }

    #[test]
    fn policies_and_seeds_need_the_third_format_and_keep_every_bit() {
        let mut suite = suite();
        assert!(suite.to_json().contains("\"format\": 2,"));
        suite.tests[0].seed = Some(u64::MAX - 1);
        assert!(suite.to_json().contains("\"format\": 3,"));
        let rules = r#"[
            {"follow":"Bowl","to":"Apple","axis":"x","dead":0.1,"keys":["a","b"],"steps":2},
            {"mouse":"Apple","dx":-3.5},
            {"press":{"event":"KeyPress","key":"space","steps":1},"every":40,
             "near":{"sprite":"Bowl","to":"Apple","within":30.0},
             "when":{"variable":{"variable":"v \"","is":"below","than":"3"}}},
            {"edge":"Bowl","axis":"y","margin":20.0,"keys":["a","b"],"steps":1,
             "when":{"visible":{"sprite":"Bowl","is":true}}}]"#;
        suite.tests[1].policy = Some(SuitePolicy {
            rules: serde_json::from_str(rules).unwrap(),
            answers: vec!["42".into()],
            most: 2_000,
            network: None,
        });
        let text = suite.to_json();
        assert_eq!(Suite::from_json(&text).unwrap(), suite);
        let line = r#"      {"mouse":"Apple","dx":-3.5},"#;
        assert!(text.lines().any(|l| l == line), "{text}");
        suite.reseed(suite.seed);
        assert!(suite.tests[0].seed.is_some());
        suite.reseed(5);
        assert_eq!((suite.tests[0].seed, suite.seed_of(&suite.tests[0])), (None, 5));
    }

    #[test]
    fn chance_and_certain_clones_need_the_fourth_format_and_keep_every_bit() {
        let mut suite = suite();
        suite.tests[0].chance = vec![3];
        let text = suite.to_json();
        assert!(text.contains("\"format\": 4,") && text.contains("\"chance\": [3], "), "{text}");
        assert_eq!(Suite::from_json(&text).unwrap(), suite);
        assert_eq!(suite.robust(), 2, "the second test always covers goal 3");
        suite.tests[1].covers = Vec::new();
        assert_eq!(suite.robust(), 1);
        suite.tests[0].chance = Vec::new();
        suite.tests[0].events[0] =
            SuiteEvent::ClickClone { sprite: "Cat".into(), clone: 2, x: 1.0, y: 2.5 };
        let text = suite.to_json();
        assert!(text.contains("\"format\": 4,"), "{text}");
        let line = r#"{"event":"ClickClone","sprite":"Cat","clone":2,"x":1.0,"y":2.5}"#;
        assert!(text.contains(line), "{text}");
        assert_eq!(Suite::from_json(&text).unwrap(), suite);
    }

    #[test]
    fn unknown_rules_are_refused_with_the_reason() {
        let refused = |rule: &str| serde_json::from_str::<SuiteRule>(rule).unwrap_err().to_string();
        assert_eq!(refused("{}"), "a rule has none of the keys follow, mouse, press, edge");
        let unknown = refused(r#"{"mouse":"Cat","mood":1}"#);
        assert!(unknown.contains("unknown field `mood`"), "{unknown}");
        let missing = refused(r#"{"follow":"Cat"}"#);
        assert!(missing.contains("missing field `to`"), "{missing}");
        assert!(refused(r#"{"mouse":"Cat","when":{"mood":{}}}"#).contains("unknown variant"));
    }

    #[test]
    fn suites_belong_to_one_project() {
        let suite = suite();
        assert!(suite.belongs_to("abc").is_ok());
        let error = suite.belongs_to("abd").unwrap_err();
        assert_eq!(
            error.to_string(),
            "the suite was made for project abc, but this is project abd"
        );
        assert!(Suite { project: String::new(), ..suite }.belongs_to("abd").is_ok());
    }
}
