//! Virtual time: a clock that the caller advances, and the timers that wait for it.

use std::cell::{Cell, RefCell};
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

/// Shortest period of a repeating timer, in milliseconds. With a period of zero, time would not
/// advance.
const SHORTEST_PERIOD: f64 = 1.0;

/// A clock in milliseconds. Timers fire in the order of their due times, then in the order in which
/// they were set.
#[derive(Clone, Default)]
pub struct Clock {
    now: Cell<f64>,
    asked: Cell<bool>,
    last: Cell<u64>,
    queue: RefCell<BinaryHeap<Reverse<Timer>>>,
    active: RefCell<BTreeSet<u64>>,
}

#[derive(Clone, Copy)]
struct Timer {
    due: f64,
    /// Position in the order of creation, which is new for each repetition.
    order: u64,
    number: u64,
    period: Option<f64>,
}

impl Clock {
    /// The time in milliseconds.
    pub fn now(&self) -> f64 {
        self.now.get()
    }

    pub(crate) fn told(&self) -> f64 {
        self.asked.set(true);
        self.now.get()
    }

    /// Whether a script has read the time or set a timer since the clock was made or reset. If not,
    /// the script's behaviour does not depend on the time at which it begins.
    pub fn was_asked(&self) -> bool {
        self.asked.get()
    }

    /// Advances the clock to a time in milliseconds. An earlier time has no effect.
    pub fn advance_to(&self, time: f64) {
        self.now.set(self.now.get().max(time));
    }

    /// The time in milliseconds at which the next timer is due.
    pub fn next_due(&self) -> Option<f64> {
        let mut queue = self.queue.borrow_mut();
        let active = self.active.borrow();
        while let Some(Reverse(timer)) = queue.peek() {
            if active.contains(&timer.number) {
                return Some(timer.due);
            }
            queue.pop();
        }
        None
    }

    /// Removes all timers.
    pub fn clear(&self) {
        self.queue.borrow_mut().clear();
        self.active.borrow_mut().clear();
    }

    /// Resets the clock to time 0 and removes all timers. The ids of timers start again from 1.
    pub fn reset(&self) {
        self.clear();
        self.now.set(0.0);
        self.asked.set(false);
        self.last.set(0);
    }

    pub(crate) fn continue_from(&self, other: &Clock) {
        self.now.set(other.now.get());
        self.asked.set(other.asked.get());
        self.last.set(other.last.get());
        self.queue.borrow_mut().clone_from(&other.queue.borrow());
        self.active.borrow_mut().clone_from(&other.active.borrow());
    }

    pub(crate) fn waiting(&self) -> usize {
        self.active.borrow().len()
    }

    pub(crate) fn set(&self, delay: f64, repeats: bool) -> u64 {
        self.asked.set(true);
        let number = self.order();
        let delay = if delay.is_finite() { delay.max(0.0) } else { 0.0 };
        let period = repeats.then_some(delay.max(SHORTEST_PERIOD));
        let due = self.now.get() + period.unwrap_or(delay);
        self.active.borrow_mut().insert(number);
        self.queue.borrow_mut().push(Reverse(Timer { due, order: number, number, period }));
        number
    }

    pub(crate) fn unset(&self, number: u64) {
        self.active.borrow_mut().remove(&number);
    }

    pub(crate) fn take_due(&self) -> Option<(u64, bool)> {
        self.next_due().filter(|due| *due <= self.now.get())?;
        let Reverse(timer) = self.queue.borrow_mut().pop()?;
        match timer.period {
            Some(period) => {
                let next = Timer { due: timer.due + period, order: self.order(), ..timer };
                self.queue.borrow_mut().push(Reverse(next));
            }
            None => self.unset(timer.number),
        }
        Some((timer.number, timer.period.is_some()))
    }

    fn order(&self) -> u64 {
        self.last.set(self.last.get() + 1);
        self.last.get()
    }
}

impl Ord for Timer {
    fn cmp(&self, other: &Timer) -> std::cmp::Ordering {
        self.due.total_cmp(&other.due).then(self.order.cmp(&other.order))
    }
}

impl PartialOrd for Timer {
    fn partial_cmp(&self, other: &Timer) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Timer {
    fn eq(&self, other: &Timer) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Timer {}
