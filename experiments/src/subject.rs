//! Descriptions of subject kinds, from which tables, captions and reports take names and units.

use serde::{Deserialize, Serialize};

/// The units, goals and measures of a subject kind. They are stored with results as `subject.json`,
/// because tables and reports must not depend on kinds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SubjectInfo {
    /// Name of the kind, as in a study's `subject`.
    pub kind: String,
    /// Version of everything that determines the records of this kind. The engine id is a part of
    /// every run id.
    pub engine: String,
    /// Units of work that a search counts, the main unit first.
    pub units: Vec<Unit>,
    /// Named sets of goals, the main criterion first.
    pub criteria: Vec<CriterionInfo>,
    /// What [`SuiteSize::size`](crate::SuiteSize) counts.
    pub suite_unit: Noun,
    /// Parts of a mutant's location, outermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mutant_levels: Vec<String>,
    /// Extension of the file of a suite, without the dot.
    pub artifact_extension: String,
    /// Numbers that describe projects, as columns of `projects.csv`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub measures: Vec<Measure>,
}

/// A unit of work, by which the progress of a search is measured independently of real time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Unit {
    /// Name in study files, records and columns of tables: lower-case letters, digits and `_`,
    /// and neither `wall` nor `wall_ms`.
    pub name: String,
    /// The singular in a sentence: `test execution`.
    pub singular: String,
    /// The plural in a sentence: `test executions`.
    pub plural: String,
    /// An explanation in a few words, for axes and documentation.
    pub meaning: String,
    /// Number of units in a second of time of the program under test.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub per_second: Option<f64>,
}

/// A criterion: a named set of goals.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CriterionInfo {
    /// Name in records and tables.
    pub name: String,
    /// One goal in a sentence: `block`.
    pub goal: String,
    /// Several goals in a sentence: `blocks`.
    pub goals: String,
}

/// A noun in singular and plural.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Noun {
    /// The singular.
    pub singular: String,
    /// The plural.
    pub plural: String,
}

/// A number that describes a project.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Measure {
    /// Column of `projects.csv`.
    pub column: String,
    /// Title of an axis or a column: `McCabe complexity`.
    pub caption: String,
    /// Whether coverage may depend on the measure.
    #[serde(default)]
    pub related: bool,
}

impl SubjectInfo {
    /// The unit with this name.
    pub fn unit(&self, name: &str) -> Option<&Unit> {
        self.units.iter().find(|unit| unit.name == name)
    }

    /// The first criterion.
    pub fn main_criterion(&self) -> Option<&CriterionInfo> {
        self.criteria.first()
    }

    /// The file name of a suite among the artifacts of a record.
    pub fn suite_file(&self) -> String {
        format!("suite.{}", self.artifact_extension)
    }
}

impl Unit {
    /// A unit that does not measure time of the program under test.
    pub fn new(name: &str, singular: &str, plural: &str, meaning: &str) -> Unit {
        Unit {
            name: name.to_owned(),
            singular: singular.to_owned(),
            plural: plural.to_owned(),
            meaning: meaning.to_owned(),
            per_second: None,
        }
    }
}

impl CriterionInfo {
    /// A criterion named after its goals.
    pub fn new(goal: &str, goals: &str) -> CriterionInfo {
        CriterionInfo { name: goals.to_owned(), goal: goal.to_owned(), goals: goals.to_owned() }
    }
}

impl Noun {
    /// A noun from its singular and plural.
    pub fn new(singular: &str, plural: &str) -> Noun {
        Noun { singular: singular.to_owned(), plural: plural.to_owned() }
    }
}

impl Measure {
    /// A measure that only describes projects.
    pub fn new(column: &str, caption: &str) -> Measure {
        Measure { column: column.to_owned(), caption: caption.to_owned(), related: false }
    }

    /// A measure that coverage may depend on.
    pub fn related(column: &str, caption: &str) -> Measure {
        Measure { related: true, ..Measure::new(column, caption) }
    }
}
