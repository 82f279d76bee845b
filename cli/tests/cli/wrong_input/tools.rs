//! Wrong adapters and wrong results of tools.

/// Text of the adapter, the replacement of the text, words of the error, and words of the hint.
pub(super) const ADAPTERS: &[(&str, &str, &str, &str)] = &[
    ("contract = 1", "contract = 2", "contract 2", "adapter.toml"),
    (
        "tool = \"tries\"",
        "tol = \"tries\"",
        "adapter.toml:2: unknown key `tol`: write `tool`",
        "adapter.toml",
    ),
    (
        "budgets = [\"executions\"]",
        "budget = [\"executions\"]",
        "adapter.toml:5: unknown key `budget`: write `budgets`",
        "adapter.toml",
    ),
    ("min = 1,", "mni = 1,", "adapter.toml:8: unknown key `mni`: write `min`", "adapter.toml"),
    (
        "kind = \"integer\"",
        "kind = \"whole\"",
        "adapter.toml:8: unknown variant `whole`",
        "adapter.toml",
    ),
    ("version = \"1.0\"\n", "", "adapter.toml:1: missing field `version`", "adapter.toml"),
    ("[parameters]", "environment = \"lock\"\n[parameters]", "lock: no such file", "adapter.toml"),
];

/// Results of a tool, each with words of the refusal.
pub(super) const RESULTS: &[(&str, &str)] = &[
    ("", "the result is malformed: the file is empty"),
    (
        "done: 3 of 5",
        "the result is malformed: expected value at line 1 column 1; it begins with `done: 3 of 5`",
    ),
    (r#"{"contract": 1, "goals""#, "the file ends in the middle of the JSON object"),
    ("[1, 2]", "the result is malformed: expected a JSON object"),
    (r#"{"goals": 2, "covered": [0]}"#, "contract: missing, expected 1"),
    (r#"{"contract": 2, "goals": 2, "covered": [0]}"#, "contract: 2, expected 1"),
    (r#"{"contract": 1, "goals": 2}"#, "covered: missing"),
    (r#"{"contract": 1, "covered": [0]}"#, "goals or criteria: both missing"),
    (
        r#"{"contract": 1, "goals": 2, "covered": [0], "files": {"binary": {"a": "b"}}}"#,
        "files: neither a list of paths nor lists of paths by name",
    ),
    (
        r#"{"contract": 1, "goals": 2, "coverd": [0], "covered": []}"#,
        "unknown key `coverd`: write `covered`",
    ),
    (r#"{"contract": 1, "goals": 2, "covered": [2]}"#, "goal 2 is covered, but there are 2 goals"),
    (r#"{"contract": 1, "goals": 2, "covered": [1, 1]}"#, "covered twice"),
    (
        r#"{"contract": 1, "goals": 2, "covered": [0], "timeline": [{"covered": 1}]}"#,
        "timeline[0].wall_ms: missing",
    ),
    (
        r#"{"contract": 1, "goals": 2, "covered": [0, 1], "timeline": [{"covered": 1, "wall_ms": 1}, {"covered": 2, "wallms": 3}]}"#,
        "timeline[1].wall_ms: missing",
    ),
    (
        r#"{"contract": 1, "goals": 2, "covered": [0], "timeline": [{"covered": 1, "wall_ms": 1.5}]}"#,
        "timeline[0].wall_ms: 1.5 is not a whole number",
    ),
    (
        r#"{"contract": 1, "goals": 2, "covered": [0], "timeline": [{"covered": 1, "wall_ms": 1, "excutions": 3}]}"#,
        "timeline[0].excutions: unknown key: write `executions`",
    ),
    (
        r#"{"contract": 1, "goals": 2, "covered": [0], "suite": {"tests": "one", "size": 1, "unit": "x", "removed": 0}}"#,
        "suite.tests: ",
    ),
    (
        r#"{"contract": 1, "goals": 2, "covered": [0], "suite": {"size": 1, "unit": "x", "removed": 0}}"#,
        "suite: missing field `tests`",
    ),
    (
        r#"{"contract": 1, "goals": 2, "covered": [0], "goal_names": ["a"]}"#,
        "goal_names: the number of names is 1, not 2",
    ),
    (r#"{"contract": 1, "goals": 2, "covered": [0], "files": ["none.txt"]}"#, "none.txt: "),
    (
        r#"{"contract": 1, "goals": 2, "covered": [0], "tool": {"name": "other", "version": "1.0"}}"#,
        "other 1.0 ran, but adapter.toml says tries 1.0",
    ),
    (r#"{"contract": 1, "goals": 2"#, "the result is malformed: "),
    ("", "the result is malformed: "),
];

/// The adapter of a tool that answers with the file `answer.json`.
pub(super) const ADAPTER: &str = r#"contract = 1
tool = "tries"
version = "1.0"
algorithms = ["random"]
budgets = ["executions"]

[parameters]
factor = { kind = "integer", min = 1, max = 10, default = 1 }
"#;

pub(super) const TOOL_STUDY: &str = r#"subject = "command"
projects = ["module.py"]
algorithms = ["random"]
seeds = 1

[command]
adapter = "tool"

[budget]
executions = 3
"#;
