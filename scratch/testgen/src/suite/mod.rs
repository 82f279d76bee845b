//! Test suites as files: JSON, readable by people, versioned.

mod assertion;
mod event;
mod javascript;
mod machine;

use serde::{Deserialize, Serialize};

pub use assertion::{Assertion, Effect, Expected, Tolerances};
pub use event::SuiteEvent;

use crate::generation::ENGINE;
use machine::Machine;

/// The version of the format that this release writes. It reads all earlier ones, too:
///
/// 1. Events and goals.
/// 2. Assertions, and the settings that they depend on: `machine`, `tolerances`,
///    `nan_equal`; what is missing has its default.
pub const FORMAT: u32 = 2;

/// A generated test suite: all that executing it again needs, but for the project.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Suite {
    /// Version of this format.
    pub format: u32,
    /// What generated it, with its version.
    pub engine: String,
    /// The digest of the project that it tests; empty if nobody knows.
    pub project: String,
    /// The search algorithm.
    pub algorithm: String,
    /// The seed of the run. Replays need it: the machine draws from it.
    pub seed: u64,
    /// Goals of the project.
    pub goals: u32,
    /// The machine for which it was generated.
    #[serde(default, with = "Machine")]
    pub machine: catherd_vm::Settings,
    /// How far values may be from what its assertions expect.
    #[serde(default)]
    pub tolerances: Tolerances,
    /// Any two texts that spell no number are equal to its assertions
    /// ([`crate::Compat::nan_equal`]).
    #[serde(default)]
    pub nan_equal: bool,
    /// The tests, in the order in which they were chosen.
    pub tests: Vec<SuiteTest>,
}

impl Default for Suite {
    /// A suite of this release, without tests, for a project that nobody named.
    fn default() -> Self {
        Self {
            format: FORMAT,
            engine: ENGINE.to_owned(),
            project: String::new(),
            algorithm: String::new(),
            seed: 0,
            goals: 0,
            machine: catherd_vm::Settings::default(),
            tolerances: Tolerances::default(),
            nan_equal: false,
            tests: Vec::new(),
        }
    }
}

/// A test: the green flag, then events, each followed by a wait of one step.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SuiteTest {
    /// The numbers of the goals that it covers, ascending.
    pub covers: Vec<u32>,
    /// Codons of the chromosome that it comes from.
    pub codons: u32,
    /// Its events.
    pub events: Vec<SuiteEvent>,
    /// What must hold on the way, by event. These held under other seeds as well: they are
    /// stable.
    #[serde(default)]
    pub assertions: Vec<Assertion>,
    /// What holds with the suite's seed, but not with every other: flaky ones, by event.
    #[serde(default)]
    pub flaky: Vec<Assertion>,
}

/// A suite that cannot be read or does not belong to a project.
#[derive(Debug, thiserror::Error)]
pub enum SuiteError {
    /// Not a suite.
    #[error("not a test suite: {0}")]
    Json(#[from] serde_json::Error),
    /// A later version of the format, or none.
    #[error("the suite has format {found}, but this release reads formats 1 to {FORMAT}")]
    Format {
        /// The version found.
        found: u32,
    },
    /// A machine whose steps may take longer than anybody waits.
    #[error("the suite's machine has {setting} {found}, and {most} is the most")]
    Machine {
        /// The setting.
        setting: &'static str,
        /// Its value.
        found: u64,
        /// The largest allowed.
        most: u64,
    },
    /// Another project.
    #[error("the suite was made for project {suite}, but this is project {project}")]
    Project {
        /// Digest according to the suite.
        suite: String,
        /// Digest of the project.
        project: String,
    },
    /// Another project, or another setting of its goals.
    #[error("the suite was made for {suite} goals, but the project has {project}")]
    Goals {
        /// Goals according to the suite.
        suite: u32,
        /// Goals of the project.
        project: u32,
    },
    /// A sprite that the project lacks.
    #[error("test {test}: the project has no sprite `{sprite}`")]
    Sprite {
        /// Position of the test, from 0.
        test: usize,
        /// The name.
        sprite: String,
    },
    /// A test of more steps than somebody allows.
    #[error("test {test} has {steps} steps, and {most} are allowed")]
    Steps {
        /// Position of the test, from 0.
        test: usize,
        /// Its steps.
        steps: u64,
        /// The most allowed.
        most: u64,
    },
    /// An assertion that cannot be checked on the project.
    #[error("test {test}: {cause}")]
    Assertion {
        /// Position of the test, from 0.
        test: usize,
        /// What is wrong with it.
        cause: String,
    },
}

/// A value as JSON on one line.
fn json<T: Serialize + ?Sized>(value: &T) -> String {
    // Writing fails for maps with keys that are no strings; there are no maps here.
    serde_json::to_string(value).expect("suites hold numbers, texts and lists")
}

/// A list of a test, one element a line.
fn lines<T: Serialize>(text: &mut String, name: &str, list: &[T]) {
    text.push_str(&format!(", \"{name}\": ["));
    for (position, element) in list.iter().enumerate() {
        let comma = if position == 0 { "" } else { "," };
        text.push_str(&format!("{comma}\n      {}", json(element)));
    }
    text.push_str(if list.is_empty() { "]" } else { "\n    ]" });
}

/// The machine's settings of a suite.
struct World<'a>(&'a Suite);

impl Serialize for World<'_> {
    fn serialize<S: serde::Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        Machine::serialize(&self.0.machine, out)
    }
}

impl Suite {
    /// The suite as JSON text, one event or assertion a line.
    pub fn to_json(&self) -> String {
        let mut text = String::new();
        text.push_str("{\n");
        let head = [
            ("format", json(&self.format)),
            ("engine", json(&self.engine)),
            ("project", json(&self.project)),
            ("algorithm", json(&self.algorithm)),
            ("seed", json(&self.seed)),
            ("goals", json(&self.goals)),
            ("machine", json(&World(self))),
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
            text.push_str(&format!("{comma}\n    {{ \"covers\": {covers}, \"codons\": {codons}"));
            lines(&mut text, "events", &test.events);
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
    /// If it is none, or of another version.
    pub fn from_json(text: &str) -> Result<Suite, SuiteError> {
        #[derive(Deserialize)]
        struct Version {
            format: u32,
        }
        let Version { format } = serde_json::from_str(text)?;
        if !(1..=FORMAT).contains(&format) {
            return Err(SuiteError::Format { found: format });
        }
        let suite = Suite { format: FORMAT, ..serde_json::from_str(text)? };
        machine::check(&suite.machine)?;
        Ok(suite)
    }

    /// Is this a suite for the project with this digest?
    ///
    /// # Errors
    /// If it says that it is for another.
    pub fn belongs_to(&self, digest: &str) -> Result<(), SuiteError> {
        if self.project.is_empty() || self.project == digest {
            return Ok(());
        }
        Err(SuiteError::Project { suite: self.project.clone(), project: digest.to_owned() })
    }

    /// Stable assertions of all tests.
    pub fn assertions(&self) -> u64 {
        self.tests.iter().map(|test| test.assertions.len() as u64).sum()
    }

    /// Events of all tests, the waits between them not counted.
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
            SuiteEvent::ClickClone { sprite: "Cat \"1\"".into(), x: 0.1 + 0.2, y: -1e-7 },
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
        let test = SuiteTest { covers: vec![0, 3], codons: 9, events, assertions, flaky };
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
            machine: catherd_vm::Settings { timer_increment: 0.075, ..Default::default() },
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
        assert_eq!(suite.machine, catherd_vm::Settings::default());
        assert_eq!(suite.tests[0].events, [SuiteEvent::Wait { steps: 2 }]);
        assert!(suite.tests[0].assertions.is_empty());
    }

    #[test]
    fn what_is_no_suite_is_refused_with_the_reason() {
        let newer = suite().to_json().replace("\"format\": 2", "\"format\": 3");
        let refused = |text: &str| Suite::from_json(text).unwrap_err().to_string();
        assert_eq!(
            refused(&newer),
            "the suite has format 3, but this release reads formats 1 to 2"
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
            "the suite's machine has warp_budget 16000001, and 16000000 is the most"
        );
        for damaged in ["{", "", "[]", "{\"format\": 2}"] {
            assert!(refused(damaged).starts_with("not a test suite: "), "{}", refused(damaged));
        }
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
