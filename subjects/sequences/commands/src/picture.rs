//! A picture of coverage: a cell for each item.

use std::collections::BTreeMap;

use catherd_cli_console::Failure;
use catherd_sequences_testing::{Alphabet, Criterion};
use maud::{PreEscaped, html};

const MAX_CELLS: u64 = 40_000;

/// Length of the side of a cell in pixels.
const CELL: f64 = 16.0;
/// Approximate width of a letter of a label in pixels.
const LETTER: f64 = 6.4;

/// Space around the picture in pixels.
const MARGIN: f64 = 12.0;

/// Space for the title of an axis in pixels.
const TITLE: f64 = 16.0;

const ROWS: &str = "beginning of the word";
const COLUMNS: &str = "last event";

/// The smallest number of tests, the fill and the text of the legend, in ascending order.
const COVERED: [(u64, &str, &str); 4] = [
    (1, "#c6dbef", "1 test"),
    (2, "#6baed6", "2 to 4"),
    (5, "#2171b5", "5 to 9"),
    (10, "#08306b", "10 or more"),
];

#[derive(Clone, Copy)]
enum State {
    /// The number of tests that cover the item.
    Covered(u64),
    Missing,
    Unreachable,
}

fn fill(state: State) -> &'static str {
    match state {
        State::Covered(tests) => {
            COVERED.iter().rev().find(|(least, ..)| tests >= *least).map_or("#ffffff", |c| c.1)
        }
        State::Missing => "#ffffff",
        State::Unreachable => "#e4e4e4",
    }
}

#[derive(Default)]
struct Labels {
    list: Vec<String>,
    places: BTreeMap<String, usize>,
}

impl Labels {
    fn place(&mut self, label: String) -> usize {
        if let Some(place) = self.places.get(&label) {
            return *place;
        }
        self.places.insert(label.clone(), self.list.len());
        self.list.push(label);
        self.list.len() - 1
    }

    /// The approximate width of the longest label in pixels.
    fn width(&self) -> f64 {
        let longest = self.list.iter().map(|label| label.chars().count()).max();
        LETTER * longest.unwrap_or(0) as f64
    }
}

/// An uncovered item has a mark, so that the picture can be read without colours.
fn square((x, y): (f64, f64), state: State, title: &str) -> PreEscaped<String> {
    let (left, right, top, bottom) = (x + 4.0, x + CELL - 5.0, y + 4.0, y + CELL - 5.0);
    html! {
        g {
            title { (title) }
            rect x=(x) y=(y) width=(CELL - 1.0) height=(CELL - 1.0) fill=(fill(state))
                stroke="#9a9a9a" stroke-width="0.5" {}
            @match state {
                State::Missing => {
                    path d=(format!("M{left} {top}L{right} {bottom}M{left} {bottom}L{right} {top}"))
                        stroke="#b2182b" stroke-width="1.5" {}
                }
                State::Unreachable => {
                    path d=(format!("M{left} {}L{right} {}", y + CELL / 2.0, y + CELL / 2.0))
                        stroke="#9a9a9a" {}
                }
                State::Covered(_) => {}
            }
        }
    }
}

/// `covered` maps items to the number of tests that cover them; `reachable` is in ascending order.
pub(super) fn draw(
    criterion: &Criterion,
    alphabet: &Alphabet,
    covered: &BTreeMap<u64, u64>,
    reachable: Option<&[u64]>,
) -> Result<String, Failure> {
    let items = criterion.all_items(MAX_CELLS).ok_or_else(|| {
        Failure::new(format!("--svg: {criterion} may have too many items for a picture")).hint(
            format!("use shorter words or fewer letters: a picture has at most {MAX_CELLS} cells"),
        )
    })?;
    let (mut rows, mut columns) = (Labels::default(), Labels::default());
    let mut cells = Vec::new();
    for item in items {
        let (row, column) = criterion.cell(item, alphabet);
        let state = match covered.get(&item) {
            Some(&tests) => State::Covered(tests),
            None if reachable.is_some_and(|all| all.binary_search(&item).is_err()) => {
                State::Unreachable
            }
            None => State::Missing,
        };
        let place = (rows.place(row), columns.place(column));
        cells.push((place, state, criterion.item_name(item, alphabet)));
    }
    let missing = cells.iter().filter(|(_, state, _)| matches!(state, State::Missing)).count();
    let (shown, known) = (covered.len(), covered.len() + missing);
    let what = if reachable.is_some() { "reachable items" } else { "items" };
    let heading = format!("{criterion}: {shown} of {known} {what} covered");
    let legend: Vec<(State, &str)> = COVERED
        .iter()
        .map(|&(least, _, text)| (State::Covered(least), text))
        .chain([(State::Missing, "not covered"), (State::Unreachable, "unreachable")])
        .collect();
    // Items that are not divided have separate rows and no column labels.
    let words = columns.list.iter().any(|label| !label.is_empty());
    let title_space = if words { TITLE } else { 0.0 };
    let left = MARGIN + title_space + rows.width() + 6.0;
    let top = MARGIN + 24.0 + title_space + columns.width() + 6.0;
    let title_length = if words { LETTER * ROWS.len() as f64 } else { 0.0 };
    let body = (CELL * rows.list.len() as f64).max(title_length);
    let foot = top + body + 12.0;
    let legend_width: f64 = legend.iter().map(|(_, text)| legend_step(text)).sum();
    let width = [
        left + CELL * columns.list.len() as f64,
        MARGIN + 7.2 * heading.chars().count() as f64,
        left + LETTER * COLUMNS.len() as f64,
        MARGIN + legend_width,
    ];
    let width = width.into_iter().fold(0.0, f64::max) + MARGIN;
    let height = foot + CELL + MARGIN;
    let middle = top + body / 2.0;
    let legend_at = legend.iter().scan(MARGIN, |x, (_, text)| {
        let at = *x;
        *x += legend_step(text);
        Some(at)
    });
    let svg = html! {
        svg xmlns="http://www.w3.org/2000/svg" width=(width) height=(height)
            viewBox=(format!("0 0 {width} {height}"))
            font-family="sans-serif" font-size="11" fill="#222222" {
            rect width="100%" height="100%" fill="#ffffff" {}
            text x=(MARGIN) y=(MARGIN + 11.0) font-size="13" { (heading) }
            @if words {
                text x=(left) y=(MARGIN + 32.0) font-style="italic" { (COLUMNS) }
                text transform=(format!("translate({} {middle}) rotate(-90)", MARGIN + 8.0))
                    text-anchor="middle" font-style="italic" { (ROWS) }
            }
            @for (number, label) in columns.list.iter().enumerate() {
                @let x = left + CELL * number as f64 + CELL / 2.0 + 4.0;
                text transform=(format!("translate({x} {}) rotate(-90)", top - 6.0)) { (label) }
            }
            @for (number, label) in rows.list.iter().enumerate() {
                text x=(left - 6.0) y=(top + CELL * number as f64 + 12.0) text-anchor="end" { (label) }
            }
            @for ((row, column), state, name) in &cells {
                @let at = (left + CELL * *column as f64, top + CELL * *row as f64);
                (square(at, *state, &title(name, *state)))
            }
            @for ((state, text), x) in legend.iter().zip(legend_at) {
                (square((x, foot), *state, text))
                text x=(x + CELL + 4.0) y=(foot + 12.0) { (text) }
            }
        }
    };
    Ok(svg.into_string() + "\n")
}

/// The width of an entry of the legend in pixels.
fn legend_step(text: &str) -> f64 {
    CELL + 20.0 + LETTER * text.chars().count() as f64
}

fn title(name: &str, state: State) -> String {
    match state {
        State::Covered(1) => format!("{name}: 1 test"),
        State::Covered(tests) => format!("{name}: {tests} tests"),
        State::Missing => format!("{name}: not covered"),
        State::Unreachable => format!("{name}: unreachable"),
    }
}
