//! Options of a judgement.

use catherd_javascript_engine::Limits;

/// How a submission is judged. All options influence the judgement.
#[derive(Clone, Debug)]
pub struct Options {
    /// Language of the texts of the judge itself: `nl` or `en`.
    pub language: String,
    /// Texts for `t`, by language and key: a JSON object.
    pub translations: serde_json::Value,
    /// The text that seeds `Math.random` and the random blocks.
    pub seed: String,
    /// Quirks of the original: what is thrown in a phase ends the commands, groups whose wrong
    /// tests are ignored share one buffer, messages may be objects.
    pub strict: bool,
    /// Only the phase before the execution: no machine is made.
    pub only_static: bool,
    /// Maximum number of steps of the machine, of 1/60 s each.
    pub steps: u64,
    /// Maximum number of blocks that the machine executes.
    pub blocks: u64,
    /// Maximum number of bytes of lines that the plan writes to its console.
    pub log_bytes: usize,
    /// Limits of the plan.
    pub limits: Limits,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            language: "nl".to_owned(),
            translations: serde_json::Value::Null,
            seed: "itch-judge".to_owned(),
            strict: false,
            only_static: false,
            steps: 200_000,
            blocks: 400_000_000,
            log_bytes: 1 << 20,
            limits: Limits { turn: 5_000, test: 20_000, memory: 256 << 20, ..Limits::default() },
        }
    }
}
