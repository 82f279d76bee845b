//! A cache of values that are expensive to make.

/// A cache of the most recently used values.
#[derive(Debug)]
pub struct Recent<K, V> {
    /// The least recently used value is first.
    kept: Vec<(K, V)>,
    most: usize,
}

impl<K: PartialEq, V> Recent<K, V> {
    /// An empty cache for at most `most` values; 0 counts as 1.
    pub fn new(most: usize) -> Recent<K, V> {
        Recent { kept: Vec::new(), most: most.max(1) }
    }

    /// Returns the value of a key. `make` makes a value that is not in the cache.
    ///
    /// # Errors
    ///
    /// The error of `make`. The cache then does not change.
    pub fn get<E>(&mut self, key: K, make: impl FnOnce() -> Result<V, E>) -> Result<&mut V, E> {
        let entry = match self.kept.iter().position(|(known, _)| *known == key) {
            Some(at) => self.kept.remove(at),
            None => (key, make()?),
        };
        if self.kept.len() == self.most {
            self.kept.remove(0);
        }
        self.kept.push(entry);
        let last = self.kept.len() - 1;
        Ok(&mut self.kept[last].1)
    }

    /// The most recently used value with its key.
    pub fn last_used(&mut self) -> Option<(&K, &mut V)> {
        self.kept.last_mut().map(|(key, value)| (&*key, value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_recently_used_value_is_dropped() {
        let mut values = Recent::new(2);
        let mut made = Vec::new();
        for key in [1, 2, 1, 3, 1, 2] {
            let value = values.get(key, || {
                made.push(key);
                Ok::<_, ()>(10 * key)
            });
            assert_eq!(value, Ok(&mut (10 * key)));
            assert_eq!(values.last_used(), Some((&key, &mut (10 * key))));
        }
        assert_eq!(made, [1, 2, 3, 2]);
        assert_eq!(values.get(4, || Err("no")), Err("no"));
        assert_eq!(values.get(2, || Err("no")), Ok(&mut 20));
    }
}
