//! Extraction of events from a running program.

use std::ops::Range;
use std::sync::Arc;

use catherd_scratch_suite::event::{Event, TextNo, Vocabulary};
use catherd_search::Stream;
use rustc_hash::{FxHashMap, FxHashSet};

use super::Extraction;
use super::fixed;
use super::identifier::Identifier;
use super::scene::{Instance, Scene};
use super::source::{Hat, Source};
use super::tables::Tables;
use crate::compat::Compat;

const ALPHABET: &[u8; 62] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/// Extractor of events with reusable buffers.
#[derive(Debug)]
pub struct Extractor<Id> {
    tables: Arc<Tables>,
    words: Vocabulary,
    /// The answers, in the order in which they are listed.
    pool: Vec<TextNo>,
    /// The list of events for extraction that does not depend on the state of the program.
    fixed: Vec<Event>,
    extraction: Extraction,
    compat: Compat,
    /// The events of each procedure before the green flag; only with [`Compat::static_procedures`].
    procedures: Option<Vec<Vec<Event>>>,
    events: Vec<Event>,
    known: FxHashSet<Identifier>,
    instances: Vec<Instance<Id>>,
    /// For each script, whether it is active in the original or a clone.
    active: Vec<bool>,
    /// For each procedure, the last scan that entered it.
    called: Vec<u64>,
    scans: u64,
    open: Vec<Range<u32>>,
}

impl<Id: Copy> Extractor<Id> {
    /// Creates an extractor for one run. Draws the random answer of the run: three letters or
    /// digits.
    pub fn new(
        tables: Arc<Tables>,
        extraction: Extraction,
        compat: Compat,
        rng: &mut Stream,
    ) -> Self {
        let random: String = (0..3).map(|_| char::from(*rng.pick(ALPHABET))).collect();
        let mut words = tables.words().clone();
        let mut pool = Vec::new();
        let fixed = ["0", "10", "Hello", &random].into_iter();
        for text in fixed.chain(tables.literals.iter().map(|literal| &**literal)) {
            let number = words.text_no(text);
            if number.0 as usize == pool.len() {
                pool.push(number);
            }
        }
        let fixed = match extraction {
            Extraction::Dynamic => Vec::new(),
            Extraction::Static => fixed::handled(&tables, &pool),
            Extraction::Naive => {
                let text = words.text_no(&random);
                fixed::all(&mut words, text)
            }
            Extraction::Wait => vec![Event::WAIT],
        };
        Self {
            words,
            pool,
            fixed,
            extraction,
            compat,
            procedures: None,
            events: Vec::new(),
            known: FxHashSet::default(),
            instances: Vec::new(),
            active: vec![false; tables.scripts.len()],
            called: vec![0; tables.procedures.len()],
            scans: 0,
            open: Vec::new(),
            tables,
        }
    }

    /// The words of the run's events.
    pub fn words(&self) -> &Vocabulary {
        &self.words
    }

    /// Like [`Extractor::words`], but mutable, for adding the words of replayed events.
    pub fn words_mut(&mut self) -> &mut Vocabulary {
        &mut self.words
    }

    /// The strings that answer questions, in the order in which they are listed.
    pub fn answers(&self) -> &[TextNo] {
        &self.pool
    }

    /// The events that the last extraction listed.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// Width and height of the object that an event of the last list drags; 0 if there is no such
    /// object.
    pub fn extent<S: Scene<Id = Id>>(&self, event: &Event, scene: &mut S) -> (f64, f64) {
        let Event::DragSprite { sprite, instance, .. } = *event else { return (0.0, 0.0) };
        let dragged = self.instances.iter().find(|i| i.sprite == sprite && i.number == instance);
        dragged.map_or((0.0, 0.0), |dragged| scene.extent(dragged.id))
    }

    /// Reads the events of custom blocks if [`Compat::static_procedures`] is on. Must be called
    /// before the green flag.
    pub fn read_procedures<S: Scene<Id = Id>>(&mut self, scene: &mut S, rng: &mut Stream) {
        if !self.compat.static_procedures {
            return;
        }
        scene.instances(&mut self.instances);
        let tables = Arc::clone(&self.tables);
        let mut read: FxHashMap<&str, Vec<Event>> = FxHashMap::default();
        for procedure in &tables.procedures {
            let original = self.instances.iter().find(|i| i.sprite == procedure.sprite);
            let Some(&original) = original else { continue };
            self.begin_list();
            for position in procedure.body.all.clone() {
                match tables.sources[position as usize] {
                    // A procedure that has not been read yet has no events.
                    Source::Call(called) => {
                        let events = read.get(&*tables.procedures[called as usize].code);
                        events.into_iter().flatten().for_each(|&event| self.list(event));
                    }
                    source => {
                        let event = self.event(source, &original, scene, rng);
                        event.into_iter().for_each(|event| self.list(event));
                    }
                }
            }
            read.insert(&procedure.code, self.events.clone());
        }
        let codes = tables.procedures.iter().map(|procedure| &*procedure.code);
        self.procedures =
            Some(codes.map(|code| read.get(code).cloned().unwrap_or_default()).collect());
    }

    fn begin_list(&mut self) {
        self.events.clear();
        self.known.clear();
    }

    /// Returns the list of events. `rng` draws positions of drags that the program does not
    /// determine.
    ///
    /// Dynamic extraction lists the events that the program can react to now, which are usually
    /// only answers and a wait while the program asks a question.
    pub fn extract<S: Scene<Id = Id>>(&mut self, scene: &mut S, rng: &mut Stream) -> &[Event] {
        self.begin_list();
        scene.instances(&mut self.instances);
        if self.extraction != Extraction::Dynamic {
            self.events.extend_from_slice(&self.fixed);
            if self.extraction == Extraction::Naive {
                fixed::scatter(&mut self.events, rng);
            }
            return &self.events;
        }
        self.find_active(scene);
        if scene.is_asking() && self.asks() {
            if self.tables.numbers {
                self.events.push(Event::TypeNumber { number: 0 });
            }
            self.events.extend(self.pool.iter().map(|&text| Event::TypeText { text }));
            if !self.compat.no_wait_on_question {
                self.events.push(Event::WAIT);
            }
            return &self.events;
        }
        // Clones come after all originals, so events that do not depend on the clone itself are
        // already listed.
        let tables = Arc::clone(&self.tables);
        for position in 0..self.instances.len() {
            let instance = self.instances[position];
            self.scans += 1;
            for script in tables.targets[usize::from(instance.sprite)].clone() {
                let script = script as usize;
                let entry = &tables.scripts[script];
                if !self.active[script] {
                    self.hat_event(entry.hat, &instance);
                } else if instance.number == 0 {
                    self.read(entry.body.all.clone(), false, &instance, scene, rng);
                } else {
                    self.read(entry.body.personal.clone(), true, &instance, scene, rng);
                }
            }
        }
        self.events.push(Event::WAIT);
        &self.events
    }

    /// A script is active while one of its threads is alive. A script that starts with a message, a
    /// backdrop or a clone is also active if it ran in the last step, because it may have started
    /// and ended within this step.
    fn find_active<S: Scene<Id = Id>>(&mut self, scene: &S) {
        for (active, script) in self.active.iter_mut().zip(&self.tables.scripts) {
            *active = scene.is_active(script.top)
                || script.hat == Hat::Brief && scene.ran_last_step(script.top);
        }
    }

    fn asks(&mut self) -> bool {
        let tables = Arc::clone(&self.tables);
        self.scans += 1;
        let active = tables.scripts.iter().zip(&self.active).filter(|(_, active)| **active);
        self.open.clear();
        self.open.extend(active.map(|(script, _)| script.body.all.clone()));
        while let Some(range) = self.open.pop() {
            for source in &tables.sources[range.start as usize..range.end as usize] {
                match *source {
                    Source::Ask => return true,
                    // Procedures read before the green flag found no open question.
                    Source::Call(procedure)
                        if self.procedures.is_none() && self.is_first_call(procedure) =>
                    {
                        self.open.push(tables.procedures[procedure as usize].body.all.clone());
                    }
                    _ => {}
                }
            }
        }
        false
    }

    fn is_first_call(&mut self, procedure: u32) -> bool {
        std::mem::replace(&mut self.called[procedure as usize], self.scans) != self.scans
    }

    fn list(&mut self, event: Event) {
        if event.is_finite() && self.known.insert(Identifier::of(&event)) {
            self.events.push(event);
        }
    }

    fn hat_event(&mut self, hat: Hat, instance: &Instance<Id>) {
        let &Instance { sprite, number, x, y, visible, .. } = instance;
        match hat {
            Hat::SpriteClick if !visible => {}
            Hat::SpriteClick if number == 0 => self.list(Event::ClickSprite { sprite }),
            Hat::SpriteClick => self.list(Event::ClickClone { sprite, instance: number, x, y }),
            Hat::Key(key) => self.list(Event::KeyPress { key, steps: 1 }),
            Hat::StageClick => self.list(Event::ClickStage),
            Hat::Loudness(volume) => self.list(Event::Sound { volume }),
            Hat::Brief | Hat::Other => {}
        }
    }

    /// Lists the events of sources. Events of a procedure are listed at its first call, once for
    /// each instance.
    fn read<S: Scene<Id = Id>>(
        &mut self,
        range: Range<u32>,
        personal: bool,
        instance: &Instance<Id>,
        scene: &mut S,
        rng: &mut Stream,
    ) {
        let tables = Arc::clone(&self.tables);
        self.open.clear();
        self.open.push(range);
        while let Some(range) = self.open.last_mut() {
            let Some(position) = range.next() else {
                self.open.pop();
                continue;
            };
            match tables.sources[position as usize] {
                Source::Call(procedure) if self.procedures.is_some() => {
                    let procedures = std::mem::take(&mut self.procedures);
                    let events = procedures.iter().flat_map(|all| &all[procedure as usize]);
                    events.for_each(|&event| self.list(event));
                    self.procedures = procedures;
                }
                Source::Call(procedure) => {
                    if self.is_first_call(procedure) {
                        let body = &tables.procedures[procedure as usize].body;
                        let body = if personal { &body.personal } else { &body.all };
                        self.open.push(body.clone());
                    }
                }
                source => {
                    if let Some(event) = self.event(source, instance, scene, rng) {
                        self.list(event);
                    }
                }
            }
        }
    }

    fn event<S: Scene<Id = Id>>(
        &self,
        source: Source,
        instance: &Instance<Id>,
        scene: &mut S,
        rng: &mut Stream,
    ) -> Option<Event> {
        let &Instance { id, x, y, .. } = instance;
        let drag = |(x, y): (f64, f64)| Event::DragSprite {
            sprite: instance.sprite,
            instance: instance.number,
            x: x.trunc(),
            y: y.trunc(),
        };
        match source {
            Source::Key(key) => Some(Event::KeyPress { key, steps: 1 }),
            Source::MouseMove => Some(Event::MouseMove { x: 0.0, y: 0.0 }),
            Source::MouseDown => Some(Event::MouseDown { down: !scene.mouse_down() }),
            Source::TouchMouse => (scene.mouse() != (x, y)).then_some(Event::MouseMoveTo { x, y }),
            Source::Sound(volume) => Some(Event::Sound { volume: f64::from_bits(volume) }),
            Source::TouchEdge => (!scene.touches_edge(id)).then(|| drag(edge_point(rng))),
            Source::TouchSprite(sprite) => {
                let other = self.visible_instance(sprite)?;
                let apart = instance.visible && !scene.touches(id, self.words.sprite(sprite));
                apart.then(|| drag((other.x, other.y)))
            }
            Source::TouchColor(color) => {
                if scene.touches_color(id, color) {
                    return None;
                }
                scene.find_color(id, (x, y), color).map(drag)
            }
            Source::ColorTouch { own, other } => {
                if scene.color_touches(id, own, other) {
                    return None;
                }
                let held = scene.find_own_color(id, own)?;
                let wanted = scene.find_color(id, held, other)?;
                Some(drag((wanted.0 + x - held.0, wanted.1 + y - held.1)))
            }
            // Answers are listed by `extract`, procedures by `read`.
            Source::Ask | Source::Call(_) => None,
        }
    }

    /// The original of a sprite if it is visible, or else its first visible clone.
    fn visible_instance(&self, sprite: u16) -> Option<&Instance<Id>> {
        self.instances.iter().find(|i| i.sprite == sprite && i.visible)
    }
}

/// Draws a random point on the edge of the stage: the pair of opposite sides, then the side, then
/// the position on the side.
fn edge_point(rng: &mut Stream) -> (f64, f64) {
    let upright = rng.below(2) == 0;
    let side = if rng.below(2) == 0 { -1.0 } else { 1.0 };
    let along = rng.unit();
    if upright {
        (240.0 * side, 360.0 * along - 180.0)
    } else {
        (480.0 * along - 240.0, 180.0 * side)
    }
}
