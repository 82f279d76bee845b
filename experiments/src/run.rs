//! Runs, and everything on which their results depend.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{Budget, Digest, Mutation};

/// Engine ids by the name of the subject kind.
pub type Engines = BTreeMap<String, String>;

/// The value of a parameter of an algorithm.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Parameter {
    /// `true` or `false`.
    Bool(bool),
    /// A whole number.
    Integer(i64),
    /// Any other number.
    Number(f64),
    /// A string.
    Text(String),
}

/// The parameter that requests regression assertions for suites.
pub const ASSERTIONS: &str = "assertions";

/// The parameter that planning adds, with the digest of an external tool.
pub const TOOL: &str = "tool";

/// An algorithm with the parameters that a study sets.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Algorithm {
    /// Label of this configuration in tables.
    pub label: String,
    /// Name of the algorithm, such as `random`, `mosa` or `mio`.
    pub name: String,
    /// Settings by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub parameters: BTreeMap<String, Parameter>,
}

impl Algorithm {
    /// An algorithm with its default settings.
    pub fn plain(name: &str) -> Algorithm {
        Algorithm { label: name.to_owned(), name: name.to_owned(), parameters: BTreeMap::new() }
    }

    pub(crate) fn asserts(&self) -> bool {
        self.parameters.get(ASSERTIONS) == Some(&Parameter::Bool(true))
    }

    pub(crate) fn assert(&mut self) {
        self.parameters.entry(ASSERTIONS.to_owned()).or_insert(Parameter::Bool(true));
    }
}

/// Everything that a run depends on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunSpec {
    /// Digest of the project's packed bytes.
    pub project: Digest,
    /// Name of the project in tables. Not part of the run id.
    pub project_name: String,
    /// Name of the subject kind.
    pub subject: String,
    /// The algorithm. Its label is not part of the run id.
    pub algorithm: Algorithm,
    /// Seed of the run.
    pub seed: u64,
    /// Budget of the search.
    pub budget: Budget,
    /// Mutation analysis to perform on the final suite.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mutation: Option<Mutation>,
    /// Engine id of the subject kind when the run was planned.
    pub engine: String,
}

impl RunSpec {
    /// Project, algorithm and seed, for messages.
    pub fn place(&self) -> String {
        format!("{}, {}, seed {}", self.project_name, self.algorithm.label, self.seed)
    }

    /// The id of the run: the digest of everything on which its results depend.
    pub fn id(&self) -> Digest {
        let mut canonical = serde_json::json!({
            "project": self.project,
            "subject": self.subject,
            "algorithm": self.algorithm.name,
            "parameters": self.algorithm.parameters,
            "seed": self.seed,
            "budget": self.budget,
            "engine": self.engine,
        });
        // The ids of runs without mutation analysis must not change.
        if let Some(mutation) = &self.mutation {
            canonical["mutation"] = serde_json::json!(mutation);
        }
        // `serde_json` orders maps by key, so this string is canonical.
        Digest::of(canonical.to_string().as_bytes())
    }
}
