//! Options of a judgement.

use catherd_javascript_engine::Limits;
use catherd_scratch_vm::Compat;

/// Options for judging a submission. All of them may influence the judgement.
#[derive(Clone, Debug)]
pub struct JudgeOptions {
    /// The version of Scratch whose behaviour the VM reproduces.
    pub compat: Compat,
    /// Language of the messages of the judge: `nl` or `en`.
    pub language: String,
    /// The strings for the function `t` of the plan, by language and key, as a JSON object.
    pub translations: serde_json::Value,
    /// The string that seeds `Math.random` and the random blocks.
    pub seed: String,
    /// Whether quirks of the original are kept.
    pub strict: bool,
    /// Whether only the phase before the execution takes place.
    pub only_static: bool,
    /// Maximum number of steps of the VM, of 1/60 s each.
    pub steps: u64,
    /// Maximum number of blocks that the VM executes.
    pub blocks: u64,
    /// Maximum number of bytes that the plan writes to its console.
    pub log_bytes: usize,
    /// Limits of the JavaScript of the plan.
    pub limits: Limits,
}

impl Default for JudgeOptions {
    fn default() -> JudgeOptions {
        JudgeOptions {
            compat: Compat::Today,
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
