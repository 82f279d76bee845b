//! Values that are expensive to make and needed by many runs.

/// The most recently used values, each made once while it is kept.
#[derive(Debug)]
pub(crate) struct Cache<K, V> {
    /// The least recently used first.
    kept: Vec<(K, V)>,
    most: usize,
}

impl<K: PartialEq, V: Clone> Cache<K, V> {
    /// A cache of so many values, at least one.
    pub(crate) fn new(most: usize) -> Cache<K, V> {
        Cache { kept: Vec::new(), most: most.max(1) }
    }

    /// The value of a key, made if it is not kept.
    pub(crate) fn get<E>(&mut self, key: K, make: impl FnOnce() -> Result<V, E>) -> Result<V, E> {
        let entry = match self.kept.iter().position(|(known, _)| *known == key) {
            Some(at) => self.kept.remove(at),
            None => (key, make()?),
        };
        if self.kept.len() == self.most {
            self.kept.remove(0);
        }
        let value = entry.1.clone();
        self.kept.push(entry);
        Ok(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_recently_used_value_is_dropped() {
        let mut cache = Cache::new(2);
        let mut made = Vec::new();
        for key in [1, 2, 1, 3, 1, 2] {
            let value = cache.get(key, || {
                made.push(key);
                Ok::<_, ()>(10 * key)
            });
            assert_eq!(value, Ok(10 * key));
        }
        assert_eq!(made, [1, 2, 3, 2]);
        assert_eq!(cache.get(4, || Err("no")), Err("no"));
        assert_eq!(cache.get(2, || Err("no")), Ok(20));
    }
}
