//! Blocks that the VM does not support, or supports differently from Scratch.

use catherd_scratch_sb3::Opcode;

/// Short reason why a block behaves differently here than in Scratch; `None` if it does not.
/// `docs/explanation/conformance.md` has the details.
pub fn unsupported(opcode: Opcode) -> Option<&'static str> {
    use Opcode::*;
    Some(match opcode {
        Unknown => "hardware or an unknown extension: does nothing",
        MicrobitIsButtonPressed => "no device: no button is pressed",
        MakeyMakeyWhenMakeyKeyPressed | MakeyMakeyWhenCodePressed => "makey makey: never starts",
        VideoSensingWhenMotionGreaterThan
        | VideoSensingVideoOn
        | VideoSensingVideoToggle
        | VideoSensingSetVideoTransparency => "no camera: motion is -1",
        TranslateGetTranslate => "no network: the text itself",
        Text2SpeechSpeakAndWait => "no voice: lasts as long as the text",
        SensingCurrent | SensingDaysSince2000 => "no clock: a fixed instant",
        SensingLoudness | SensingLoud => "no microphone: the virtual sound level",
        _ => return None,
    })
}
