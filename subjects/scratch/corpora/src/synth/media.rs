//! Costumes, backdrops and sounds of synthetic projects.

use std::collections::BTreeMap;

use catherd_search::Stream;
use md5::{Digest, Md5};

use super::project::{Costume, Sound};

pub(super) const COLOURS: [&str; 8] =
    ["#ff6680", "#4c97ff", "#ffab19", "#59c059", "#9966ff", "#ffbf00", "#5cb1d6", "#ff3355"];

pub(super) type Files = BTreeMap<String, Vec<u8>>;

pub(super) fn costume(stream: &mut Stream, name: String, files: &mut Files) -> Costume {
    let (width, height) = (stream.between(20, 90), stream.between(20, 90));
    let colour = stream.pick(&COLOURS);
    let (right, bottom) = (width / 2, height / 2);
    let shape = match stream.below(3) {
        0 => format!(r#"<rect width="{width}" height="{height}" fill="{colour}"/>"#),
        1 => format!(
            r#"<ellipse cx="{right}" cy="{bottom}" rx="{right}" ry="{bottom}" fill="{colour}"/>"#
        ),
        _ => format!(r#"<path d="M{right} 0L{width} {height}L0 {height}z" fill="{colour}"/>"#),
    };
    picture(name, width, height, &shape, files)
}

pub(super) fn backdrop(stream: &mut Stream, name: String, files: &mut Files) -> Costume {
    let (sky, ground) = (stream.pick(&COLOURS), stream.pick(&COLOURS));
    let horizon = stream.between(180, 300);
    let shape = format!(
        r##"<rect width="480" height="360" fill="{sky}" opacity="0.3"/><rect y="{horizon}" width="480" height="{}" fill="{ground}"/>"##,
        360 - horizon
    );
    picture(name, 480, 360, &shape, files)
}

fn picture(name: String, width: u64, height: u64, shape: &str, files: &mut Files) -> Costume {
    let svg = format!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">{shape}</svg>"#
    );
    let (asset_id, md5ext) = add_asset(svg.into_bytes(), "svg", files);
    let (rotation_center_x, rotation_center_y) = (width as i64 / 2, height as i64 / 2);
    Costume { name, data_format: "svg", asset_id, md5ext, rotation_center_x, rotation_center_y }
}

/// A program can sense only the duration of a sound, so silence suffices.
pub(super) fn sound(stream: &mut Stream, name: String, files: &mut Files) -> Sound {
    const RATE: u32 = 8_000;
    let samples = stream.between(1, 10) as u32 * (RATE / 10);
    let mut wav = Vec::with_capacity(44 + samples as usize);
    wav.extend(b"RIFF");
    wav.extend((36 + samples).to_le_bytes());
    wav.extend(b"WAVEfmt ");
    wav.extend(16_u32.to_le_bytes());
    // Write the format: PCM, mono, samples and bytes per second, bytes and bits per sample.
    wav.extend([1_u16, 1].map(u16::to_le_bytes).concat());
    wav.extend([RATE, RATE].map(u32::to_le_bytes).concat());
    wav.extend([1_u16, 8].map(u16::to_le_bytes).concat());
    wav.extend(b"data");
    wav.extend(samples.to_le_bytes());
    wav.resize(44 + samples as usize, 0x80);
    let (asset_id, md5ext) = add_asset(wav, "wav", files);
    let (rate, sample_count) = (RATE, samples);
    Sound { name, asset_id, data_format: "wav", format: "", rate, sample_count, md5ext }
}

/// In Scratch, the MD5 digest of a file is its name.
fn add_asset(bytes: Vec<u8>, extension: &str, files: &mut Files) -> (String, String) {
    let id = hex::encode(Md5::digest(&bytes));
    let name = format!("{id}.{extension}");
    files.insert(name.clone(), bytes);
    (id, name)
}
