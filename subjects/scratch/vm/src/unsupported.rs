//! Blocks that the VM does not support, or supports differently from Scratch.

use catherd_scratch_sb3::Opcode;

use crate::compat::Compat;

/// Short description of how a block behaves differently in the VM than in this version of Scratch;
/// `None` if no difference is known. `docs/explanation/conformance.md` contains the details.
pub fn unsupported(opcode: Opcode, compat: Compat) -> Option<&'static str> {
    use Opcode::*;
    let today = compat == Compat::Today;
    Some(match opcode {
        Unknown => "hardware or an unknown extension: does nothing",
        MicrobitIsButtonPressed => "no device: no button is pressed",
        MakeyMakeyWhenMakeyKeyPressed | MakeyMakeyWhenCodePressed if !today => {
            "makey makey: never starts"
        }
        MakeyMakeyWhenMakeyKeyPressed => "makey makey: a held key starts the script only once",
        VideoSensingWhenMotionGreaterThan
        | VideoSensingVideoOn
        | VideoSensingVideoToggle
        | VideoSensingSetVideoTransparency => "no camera: motion is -1",
        FaceSensingGoToPart
        | FaceSensingPointInFaceTiltDirection
        | FaceSensingSetSizeToFaceSize => "no camera: does nothing",
        FaceSensingWhenTilted | FaceSensingWhenSpriteTouchesPart | FaceSensingWhenFaceDetected => {
            "no camera: never starts"
        }
        FaceSensingFaceIsDetected => "no camera: no face is found",
        FaceSensingFaceTilt => "no camera: 90",
        FaceSensingFaceSize => "no camera: 100",
        TranslateGetTranslate => "no network: the text itself",
        Text2SpeechSpeakAndWait if today => "no network: says nothing and takes one step",
        Text2SpeechSpeakAndWait => "no voice: only waits, longer for longer text",
        LooksSwitchBackdropToAndWait if !today => "does not wait",
        SensingOnline => "always true",
        SensingCurrent | SensingDaysSince2000 => "no clock: time begins at a fixed instant",
        SensingLoudness | SensingLoud => "no microphone: the virtual sound level",
        opcode => return without_device(opcode.name()),
    })
}

/// The behaviour of a block for hardware or speech recognition without its device.
fn without_device(opcode: &str) -> Option<&'static str> {
    let (extension, name) = opcode.split_once('_')?;
    if !["boost", "ev3", "gdxfor", "microbit", "speech2text", "wedo2"].contains(&extension) {
        return None;
    }
    if name.starts_with("when") {
        return Some("no device: never starts");
    }
    let reports = ["get", "is", "seeing", "button"].iter().any(|first| name.starts_with(first));
    if reports {
        return Some("no device: reports nothing");
    }
    let skipped = ["motorOnForRotation", "motorSetPower", "listenAndWait"];
    skipped.contains(&name).then_some("no device: does nothing")
}
