//! Settings of the VM in suite files.

use catherd_scratch_vm::{Compat, VmSettings};
use serde::{Deserialize, Serialize};

use crate::error::SuiteError;

/// Serialised [`catherd_scratch_vm::VmSettings`]. Settings that a suite does not contain have their
/// defaults.
#[derive(Serialize, Deserialize)]
#[serde(
    remote = "catherd_scratch_vm::VmSettings",
    default = "catherd_scratch_vm::VmSettings::default"
)]
#[serde(deny_unknown_fields)]
pub(crate) struct Machine {
    #[serde(with = "compat", skip_serializing_if = "is_default")]
    compat: Compat,
    timer_increment: f64,
    batches: u32,
    one_timer: bool,
    warp_budget: u32,
    step_budget: u64,
    #[serde(rename = "patience")]
    overruns_per_halving: u32,
    stack_limit: usize,
    text_limit: usize,
    speech_rate: Option<f64>,
    days_since_2000: f64,
    distances_touch_hulls: bool,
    #[serde(skip)]
    awaits_translations: bool,
    #[serde(skip)]
    pace: catherd_scratch_vm::Pace,
}

/// Whether a suite need not name its version of Scratch, because it is the default.
fn is_default(compat: &Compat) -> bool {
    *compat == Compat::default()
}

/// Serialisation of a version of Scratch as its name.
mod compat {
    use super::{Compat, Deserialize};

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
    pub(super) fn serialize<S: serde::Serializer>(
        compat: &Compat,
        out: S,
    ) -> Result<S::Ok, S::Error> {
        out.serialize_str(compat.name())
    }

    pub(super) fn deserialize<'de, D: serde::Deserializer<'de>>(
        input: D,
    ) -> Result<Compat, D::Error> {
        let name = std::borrow::Cow::<str>::deserialize(input)?;
        name.parse().map_err(serde::de::Error::custom)
    }
}

/// Maximum of a limit that a suite sets, as a multiple of the limit's default (of 100 for
/// `batches`). Files are not trusted, and only these limits end the steps of a program that loops
/// forever.
const MAX_FACTOR: u64 = 16;

/// Checks that the VM's settings bound its steps.
pub(crate) fn check(machine: &VmSettings) -> Result<(), SuiteError> {
    let default = VmSettings::default();
    let bounds = [
        ("batches", u64::from(machine.batches), 100),
        ("warp_budget", u64::from(machine.warp_budget), u64::from(default.warp_budget)),
        ("step_budget", machine.step_budget, default.step_budget),
        (
            "patience",
            u64::from(machine.overruns_per_halving),
            u64::from(default.overruns_per_halving),
        ),
        ("stack_limit", machine.stack_limit as u64, default.stack_limit as u64),
        ("text_limit", machine.text_limit as u64, default.text_limit as u64),
    ];
    match bounds.into_iter().find(|&(_, found, default)| found > MAX_FACTOR * default) {
        Some((setting, found, default)) => {
            Err(SuiteError::Machine { setting, found, most: MAX_FACTOR * default })
        }
        None => Ok(()),
    }
}
