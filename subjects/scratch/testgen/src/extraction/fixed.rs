//! Extraction that does not depend on the state of the program.

use catherd_scratch_suite::event::{Event, TextNo, Vocabulary};
use catherd_search::Stream;

use super::source::{Hat, Source};
use super::tables::Tables;

const KEYS: [&str; 6] = ["space", "left arrow", "up arrow", "right arrow", "down arrow", "enter"];

/// All events for which a project has a handler, each once, in the order of targets, scripts,
/// blocks and operands. Drags and moves go to the centre of the stage.
pub(super) fn handled(tables: &Tables, pool: &[TextNo]) -> Vec<Event> {
    let mut events = Vec::new();
    for (scripts, sprite) in tables.targets.iter().zip(0..) {
        for script in &tables.scripts[scripts.start as usize..scripts.end as usize] {
            events.extend(hat_event(script.hat, sprite));
            let mut called = vec![false; tables.procedures.len()];
            let mut open = vec![script.body.all.clone()];
            while let Some(range) = open.last_mut() {
                match range.next().map(|position| tables.sources[position as usize]) {
                    None => drop(open.pop()),
                    Some(Source::Call(procedure)) => {
                        let procedure = procedure as usize;
                        if !std::mem::replace(&mut called[procedure], true) {
                            open.push(tables.procedures[procedure].body.all.clone());
                        }
                    }
                    Some(source) => source_events(source, sprite, tables, pool, &mut events),
                }
            }
        }
    }
    events.push(Event::WAIT);
    let mut distinct: Vec<Event> = Vec::with_capacity(events.len());
    for event in events {
        if !distinct.contains(&event) {
            distinct.push(event);
        }
    }
    distinct
}

fn hat_event(hat: Hat, sprite: u16) -> Option<Event> {
    match hat {
        Hat::Key(key) => Some(Event::KeyPress { key, steps: 1 }),
        Hat::SpriteClick => Some(Event::ClickSprite { sprite }),
        Hat::StageClick => Some(Event::ClickStage),
        Hat::Loudness(volume) => Some(Event::Sound { volume }),
        Hat::Brief | Hat::Other => None,
    }
}

fn source_events(
    source: Source,
    sprite: u16,
    tables: &Tables,
    pool: &[TextNo],
    events: &mut Vec<Event>,
) {
    match source {
        Source::Key(key) => events.push(Event::KeyPress { key, steps: 1 }),
        Source::MouseMove => events.push(Event::MouseMove { x: 0.0, y: 0.0 }),
        Source::MouseDown => events.extend([true, false].map(|down| Event::MouseDown { down })),
        Source::TouchMouse => events.push(Event::MouseMoveTo { x: 0.0, y: 0.0 }),
        Source::TouchEdge
        | Source::TouchSprite(_)
        | Source::TouchColor(_)
        | Source::ColorTouch { .. } => {
            events.push(Event::DragSprite { sprite, instance: 0, x: 0.0, y: 0.0 });
        }
        Source::Ask => {
            events.extend(tables.numbers.then_some(Event::TypeNumber { number: 0 }));
            events.extend(pool.iter().map(|&text| Event::TypeText { text }));
        }
        Source::Sound(volume) => events.push(Event::Sound { volume: f64::from_bits(volume) }),
        Source::Call(_) => {}
    }
}

/// Events of most kinds, with the parameters that no codon sets. [`scatter`] draws positions of
/// drags for each list.
pub(super) fn all(words: &mut Vocabulary, text: TextNo) -> Vec<Event> {
    let mut events = vec![
        Event::ClickStage,
        Event::TypeText { text },
        Event::TypeNumber { number: 0 },
        Event::MouseDown { down: true },
        Event::MouseDown { down: false },
        Event::MouseMove { x: 0.0, y: 0.0 },
    ];
    events.extend(KEYS.map(|key| Event::KeyPress { key: words.key_no(key), steps: 1 }));
    for sprite in (0..words.sprites()).filter(|&sprite| sprite != words.stage()) {
        events.push(Event::DragSprite { sprite, instance: 0, x: 0.0, y: 0.0 });
        events.push(Event::ClickSprite { sprite });
    }
    events.push(Event::WAIT);
    events
}

pub(super) fn scatter(events: &mut [Event], rng: &mut Stream) {
    for event in events {
        if let Event::DragSprite { x, y, .. } = event {
            (*x, *y) = ((480.0 * rng.unit()).trunc() - 240.0, (360.0 * rng.unit()).trunc() - 180.0);
        }
    }
}
