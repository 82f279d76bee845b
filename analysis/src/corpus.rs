//! Pictures of a corpus, from the tables that describe it.

use std::fs;
use std::path::{Path, PathBuf};

use kuva::backend::svg::SvgBackend;
use kuva::render::color::Color;
use kuva::render::render::{Primitive, Scene, TextAnchor};
use serde::Deserialize;

use crate::figure::{FONTS, grouped};

const BLUE: &str = "#0072B2";
const GREY: &str = "#e4e4e4";
const DARK: &str = "#222222";
const TEXT: u32 = 13;

/// Bars of the histogram for each factor of ten.
const BARS: f64 = 6.0;
/// Opcodes shown.
const OPCODES: usize = 30;

/// Why there is no picture.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A table is missing or not what it should be.
    #[error("{}: {source}", path.display())]
    Table {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: csv::Error,
    },
    /// A picture cannot be written.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}

/// Draws `sizes.svg` of `projects.csv` (column `reachable`) and `opcodes.svg` of
/// `opcodes.csv` in the same folder; gives what was drawn.
///
/// # Errors
/// See [`Error`].
pub fn draw(folder: &Path) -> Result<[PathBuf; 2], Error> {
    #[derive(Deserialize)]
    struct Project {
        reachable: u64,
    }
    let projects: Vec<Project> = read(&folder.join("projects.csv"))?;
    let sizes = sizes(projects.iter().map(|project| project.reachable).collect());
    let opcodes = opcodes(&read(&folder.join("opcodes.csv"))?, projects.len());
    Ok([write(folder.join("sizes.svg"), sizes)?, write(folder.join("opcodes.svg"), opcodes)?])
}

/// A row of `opcodes.csv`, in the order of the table.
#[derive(Clone, Debug, Deserialize)]
pub struct Opcode {
    /// Its name.
    pub opcode: String,
    /// Projects that use it.
    pub projects: u64,
}

fn read<T: for<'de> Deserialize<'de>>(path: &Path) -> Result<Vec<T>, Error> {
    let error = |source| Error::Table { path: path.to_owned(), source };
    let mut table = csv::Reader::from_path(path).map_err(error)?;
    table.deserialize().collect::<Result<_, _>>().map_err(error)
}

fn write(path: PathBuf, picture: String) -> Result<PathBuf, Error> {
    match fs::write(&path, picture) {
        Ok(()) => Ok(path),
        Err(source) => Err(Error::Io { path, source }),
    }
}

/// How many projects have how many reachable statements, on a logarithmic scale (Whisker
/// paper, figure 11).
pub fn sizes(mut sizes: Vec<u64>) -> String {
    const FRAME: (f64, f64, f64, f64) = (62.0, 40.0, 500.0, 280.0);
    let (left, top, width, height) = FRAME;
    sizes.sort_unstable();
    let none = sizes.partition_point(|&size| size == 0);
    let sized = &sizes[none..];
    let most = sized.last().copied().unwrap_or(1).max(10) as f64;
    let bars = (most.log10() * BARS).floor() as usize + 1;
    let mut counts = vec![0_u64; bars];
    for &size in sized {
        counts[((size as f64).log10() * BARS).floor() as usize] += 1;
    }
    let decades = bars as f64 / BARS;
    let x = |size: f64| left + size.log10() / decades * width;
    let step = round_count(counts.iter().copied().max().unwrap_or(1));
    let highest = counts.iter().copied().max().unwrap_or(1).div_ceil(step).max(1) * step;
    let y = |count: u64| top + height * (1.0 - count as f64 / highest as f64);

    let mut scene = scene(left + width + 20.0, top + height + 52.0);
    for count in (0..=highest).step_by(step as usize) {
        scene.add(line((left, y(count)), (left + width, y(count)), GREY));
        scene.add(text(grouped(count as f64), left - 8.0, y(count) + 4.0, TextAnchor::End));
    }
    for (bar, &count) in counts.iter().enumerate() {
        let [from, to] = [bar, bar + 1].map(|edge| left + edge as f64 / bars as f64 * width);
        scene.add(Primitive::Rect {
            x: from,
            y: y(count),
            width: to - from,
            height: top + height - y(count),
            fill: Color::from(BLUE),
            stroke: Some(Color::from("#ffffff")),
            stroke_width: Some(1.0),
            opacity: None,
        });
    }
    scene.add(line((left, top + height), (left + width, top + height), DARK));
    for power in 0..6 {
        for factor in [1.0, 3.0] {
            let size = factor * 10_f64.powi(power);
            if x(size) <= left + width + 0.5 {
                scene.add(line((x(size), top + height), (x(size), top + height + 5.0), DARK));
                scene.add(text(grouped(size), x(size), top + height + 19.0, TextAnchor::Middle));
            }
        }
    }
    let middle = left + width / 2.0;
    let label = "Reachable statements of a project";
    scene.add(text(label.to_owned(), middle, top + height + 42.0, TextAnchor::Middle));
    let mut projects = text("Projects".to_owned(), 16.0, top + height / 2.0, TextAnchor::Middle);
    if let Primitive::Text { rotate, .. } = &mut projects {
        *rotate = Some(-90.0);
    }
    scene.add(projects);
    if let Some(&median) = sizes.get(sizes.len() / 2).filter(|&&median| median > 0) {
        let at = x(median as f64);
        scene.add(Primitive::Line {
            x1: at,
            y1: top,
            x2: at,
            y2: top + height,
            stroke: Color::from("#D55E00"),
            stroke_width: 2.0,
            stroke_dasharray: Some("6 4".to_owned()),
        });
        let median = format!("median {median}");
        scene.add(text(median, at + 6.0, top + 14.0, TextAnchor::Start));
    }
    let mean = sizes.iter().sum::<u64>() as f64 / sizes.len().max(1) as f64;
    let mut caption =
        format!("n = {}, mean {mean:.1}, largest {}", sizes.len(), grouped(most_of(sized)));
    if none > 0 {
        caption += &format!("; {none} without reachable statements are not shown");
    }
    scene.add(text(caption, left, top - 16.0, TextAnchor::Start));
    SvgBackend.render_scene(&scene)
}

/// In how many projects the most common opcodes are.
pub fn opcodes(opcodes: &[Opcode], projects: usize) -> String {
    const LEFT: f64 = 250.0;
    const WIDTH: f64 = 360.0;
    const ROW: f64 = 20.0;
    const TOP: f64 = 34.0;
    let shown = &opcodes[..opcodes.len().min(OPCODES)];
    let bottom = TOP + ROW * shown.len() as f64;
    let x = |percent: f64| LEFT + WIDTH * percent / 100.0;
    let mut scene = scene(LEFT + WIDTH + 60.0, bottom + 48.0);
    for percent in [0.0, 25.0, 50.0, 75.0, 100.0] {
        scene.add(line((x(percent), TOP), (x(percent), bottom), GREY));
        scene.add(text(grouped(percent), x(percent), bottom + 18.0, TextAnchor::Middle));
    }
    for (row, Opcode { opcode, projects: uses }) in shown.iter().enumerate() {
        let y = TOP + ROW * row as f64;
        let percent = 100.0 * *uses as f64 / projects.max(1) as f64;
        scene.add(Primitive::Rect {
            x: LEFT,
            y: y + 3.0,
            width: x(percent) - LEFT,
            height: ROW - 6.0,
            fill: Color::from(BLUE),
            stroke: None,
            stroke_width: None,
            opacity: None,
        });
        scene.add(text(opcode.clone(), LEFT - 8.0, y + 14.0, TextAnchor::End));
        scene.add(text(format!("{percent:.0}"), x(percent) + 6.0, y + 14.0, TextAnchor::Start));
    }
    let label = "Projects that use it (%)".to_owned();
    scene.add(text(label, LEFT + WIDTH / 2.0, bottom + 40.0, TextAnchor::Middle));
    let caption = format!("n = {projects} projects; {} of {} opcodes", shown.len(), opcodes.len());
    scene.add(text(caption, LEFT, TOP - 14.0, TextAnchor::Start));
    SvgBackend.render_scene(&scene)
}

fn most_of(sorted: &[u64]) -> f64 {
    sorted.last().copied().unwrap_or(0) as f64
}

/// A step of 1, 2, 5, 10, ... that leaves some five between 0 and this.
fn round_count(most: u64) -> u64 {
    let mut power = 1;
    loop {
        for factor in [1, 2, 5] {
            if factor * power * 5 >= most {
                return factor * power;
            }
        }
        power *= 10;
    }
}

fn scene(width: f64, height: f64) -> Scene {
    let mut scene = Scene::new(width, height);
    scene.font_family = Some(FONTS.to_owned());
    scene
}

fn line(from: (f64, f64), to: (f64, f64), colour: &str) -> Primitive {
    Primitive::Line {
        x1: from.0,
        y1: from.1,
        x2: to.0,
        y2: to.1,
        stroke: Color::from(colour),
        stroke_width: 1.0,
        stroke_dasharray: None,
    }
}

fn text(content: String, x: f64, y: f64, anchor: TextAnchor) -> Primitive {
    let color = Some(Color::from(DARK));
    Primitive::Text { x, y, content, size: TEXT - 1, anchor, rotate: None, bold: false, color }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_project_is_in_a_bar_or_in_the_caption() {
        let svg = sizes(vec![0, 1, 1, 9, 10, 30, 30, 999, 1000]);
        assert!(svg.contains("n = 9, mean 231.1, largest 1000; 1 without"), "{svg}");
        assert!(svg.contains("median 10") && svg.contains(">300<"), "{svg}");
        let none = sizes(Vec::new());
        assert!(!none.contains("NaN") && !none.contains("inf"), "{none}");
    }

    #[test]
    fn common_opcodes_lead() {
        let row = |opcode: &str, projects| Opcode { opcode: opcode.to_owned(), projects };
        let svg = opcodes(&[row("control_wait", 3), row("a<b", 1)], 4);
        assert!(svg.contains(">control_wait<") && svg.contains(">75<"), "{svg}");
        assert!(svg.contains("a&lt;b") && svg.contains("2 of 2 opcodes"), "{svg}");
        assert!(!opcodes(&[], 0).contains("NaN"));
    }

    #[test]
    fn steps_are_round() {
        assert_eq!([1, 5, 11, 60, 400].map(round_count), [1, 1, 5, 20, 100]);
    }
}
