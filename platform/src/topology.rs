//! Which cores of the computer share a physical core, a cache or a memory node.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The cores of a computer and what they share. Cores have the numbers that the system uses. Two
/// hyper-threads are two cores.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Topology {
    places: BTreeMap<usize, CorePlace>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct CorePlace {
    /// The hyper-threads of the same physical core, including this core, in ascending order.
    siblings: Vec<usize>,
    /// The first core with the same last-level cache.
    cache: usize,
    /// The memory node.
    node: usize,
}

impl Topology {
    /// The topology of this computer. Empty if the system does not describe it.
    pub fn of_this_machine() -> Topology {
        Topology::of_folder(Path::new("/sys"))
    }

    /// The topology that a folder with the layout of `/sys` describes.
    pub fn of_folder(sys: &Path) -> Topology {
        Topology::parse(|file| fs::read_to_string(sys.join(file)).ok())
    }

    /// The topology that files with the layout of `/sys` describe. `read` returns the content of
    /// the file at a path.
    pub fn parse(read: impl Fn(&str) -> Option<String>) -> Topology {
        let list = |file: &str| read(file).map(|text| cores_of(&text)).unwrap_or_default();
        let nodes: Vec<(usize, Vec<usize>)> = list("devices/system/node/online")
            .into_iter()
            .map(|node| (node, list(&format!("devices/system/node/node{node}/cpulist"))))
            .collect();
        let place = |core: usize| {
            let folder = format!("devices/system/cpu/cpu{core}");
            // Older kernels use only the second name.
            let mut siblings = list(&format!("{folder}/topology/core_cpus_list"));
            if siblings.is_empty() {
                siblings = list(&format!("{folder}/topology/thread_siblings_list"));
            }
            if !siblings.contains(&core) {
                siblings = vec![core];
            }
            let caches = (0..).map_while(|index| {
                let level = read(&format!("{folder}/cache/index{index}/level"))?;
                Some((level.trim().parse::<u32>().unwrap_or(0), index))
            });
            let last = caches.max();
            let shared = last
                .map(|(_, index)| list(&format!("{folder}/cache/index{index}/shared_cpu_list")));
            let cache = shared.and_then(|cores| cores.first().copied()).unwrap_or(core);
            let node = nodes.iter().find(|(_, cores)| cores.contains(&core));
            CorePlace { siblings, cache, node: node.map_or(0, |node| node.0) }
        };
        let online = list("devices/system/cpu/online");
        Topology { places: online.into_iter().map(|core| (core, place(core))).collect() }
    }

    /// The other hyper-threads of the physical core of a core, ascending.
    pub fn siblings(&self, core: usize) -> Vec<usize> {
        let place = self.places.get(&core);
        let siblings = place.into_iter().flat_map(|place| &place.siblings).copied();
        siblings.filter(|&other| other != core).collect()
    }

    /// An allowed core of each physical core, ordered so that the first n cores disturb each other
    /// as little as possible.
    pub fn physical_cores(&self, allowed: &[usize]) -> Vec<usize> {
        let firsts: BTreeSet<usize> =
            allowed.iter().map(|&core| self.first(core, allowed)).collect();
        let (mut in_node, mut in_cache) = (BTreeMap::new(), BTreeMap::new());
        let mut ranked: Vec<_> = firsts
            .into_iter()
            .map(|core| {
                let (node, cache) =
                    self.places.get(&core).map_or((0, core), |place| (place.node, place.cache));
                let before_in_cache = *increased(&mut in_cache, (node, cache));
                (before_in_cache, core, node)
            })
            .collect();
        // Within a round over caches, memory nodes take turns.
        ranked.sort_unstable();
        let mut round = None;
        let mut turns: Vec<_> = ranked
            .into_iter()
            .map(|(turn, core, node)| {
                if round.replace(turn) != Some(turn) {
                    in_node.clear();
                }
                (turn, *increased(&mut in_node, node), node, core)
            })
            .collect();
        turns.sort_unstable();
        turns.into_iter().map(|(_, _, _, core)| core).collect()
    }

    /// The first of the allowed cores that belong to the physical core of a core.
    pub fn first(&self, core: usize, allowed: &[usize]) -> usize {
        let place = self.places.get(&core);
        let siblings = place.into_iter().flat_map(|place| &place.siblings);
        siblings.copied().find(|other| allowed.contains(other)).unwrap_or(core)
    }

    /// The cores for workers: the cores of [`Topology::physical_cores`] and, with `siblings`, the
    /// other allowed cores after them.
    pub fn worker_cores(&self, allowed: &[usize], siblings: bool) -> Vec<usize> {
        let mut cores = self.physical_cores(allowed);
        if siblings {
            let rest = allowed.iter().copied().filter(|core| !cores.contains(core));
            let rest: Vec<usize> = rest.collect();
            cores.extend(rest);
        }
        cores
    }
}

fn increased<K: Ord>(counts: &mut BTreeMap<K, usize>, key: K) -> &usize {
    counts.entry(key).and_modify(|count| *count += 1).or_insert(0)
}

/// The cores in a list, in ascending order. Invalid parts of the list are left out.
fn cores_of(list: &str) -> Vec<usize> {
    let ranges = list.trim().split(',').filter_map(|range| {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let (first, last) =
            (first.trim().parse::<usize>().ok()?, last.trim().parse::<usize>().ok()?);
        // Do not expand ranges with more cores than any computer has.
        (first <= last && last < 1 << 16).then_some(first..=last)
    });
    let cores: BTreeSet<usize> = ranges.flatten().collect();
    cores.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each line is a path and its content.
    fn recorded(tree: &str) -> Topology {
        let files: BTreeMap<&str, &str> =
            tree.lines().filter_map(|line| line.split_once(": ")).collect();
        Topology::parse(|file| files.get(file).map(|text| format!("{text}\n")))
    }

    #[test]
    fn hyper_threads_of_a_laptop_are_found() {
        let laptop = recorded(include_str!("topology/laptop.txt"));
        let all: Vec<usize> = (0..8).collect();
        assert_eq!(laptop.siblings(1), [5]);
        assert_eq!(laptop.worker_cores(&all, false), [0, 1, 2, 3]);
        assert_eq!(laptop.worker_cores(&all, true), [0, 1, 2, 3, 4, 5, 6, 7]);
        // A process that may use only one hyper-thread of a core uses that hyper-thread.
        assert_eq!(laptop.worker_cores(&[2, 4, 5, 6], false), [2, 4, 5]);
        assert_eq!((laptop.first(6, &[2, 4, 5, 6]), laptop.first(4, &[4])), (2, 4));
    }

    #[test]
    fn nodes_and_caches_of_a_server_take_turns() {
        // There are two memory nodes with two caches each, and two physical cores at each cache.
        let server = recorded(include_str!("topology/server.txt"));
        let all: Vec<usize> = (0..16).collect();
        assert_eq!(server.siblings(0), [1]);
        assert_eq!(server.worker_cores(&all, false), [0, 8, 4, 12, 2, 10, 6, 14]);
        let with_siblings = server.worker_cores(&all, true);
        assert_eq!(with_siblings[8..], [1, 3, 5, 7, 9, 11, 13, 15]);
    }

    #[test]
    fn an_old_kernel_and_a_core_that_is_off_are_understood() {
        let old = recorded(
            "devices/system/cpu/online: 0-1,3\n\
             devices/system/cpu/cpu0/topology/thread_siblings_list: 0,2\n\
             devices/system/cpu/cpu1/topology/thread_siblings_list: 1,3\n\
             devices/system/cpu/cpu3/topology/thread_siblings_list: 1,3\n",
        );
        assert_eq!(old.worker_cores(&[0, 1, 3], false), [0, 1]);
        // The sibling of core 0 is switched off.
        assert_eq!(old.worker_cores(&[0, 1, 3], true), [0, 1, 3]);
    }

    #[test]
    fn without_a_description_every_core_is_its_own() {
        let unknown = Topology::parse(|_| None);
        assert_eq!(unknown.worker_cores(&[0, 1, 2], false), [0, 1, 2]);
        assert!(unknown.siblings(1).is_empty());
        let damaged = recorded(
            "devices/system/cpu/online: 0-1,x,7-3,0-99999999999\n\
             devices/system/cpu/cpu0/topology/core_cpus_list: 5\n",
        );
        assert_eq!(damaged.worker_cores(&[0, 1], false), [0, 1]);
    }

    #[test]
    fn a_folder_and_this_machine_are_read() {
        let folder = std::env::temp_dir().join(format!("catherd-topology-{}", std::process::id()));
        for line in include_str!("topology/laptop.txt").lines() {
            let (path, content) = line.split_once(": ").unwrap();
            let path = folder.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        }
        let read = Topology::of_folder(&folder);
        fs::remove_dir_all(&folder).unwrap();
        assert_eq!(read, recorded(include_str!("topology/laptop.txt")));
        let allowed = crate::allowed_cores();
        let cores = Topology::of_this_machine().worker_cores(&allowed, true);
        assert_eq!(cores.len(), allowed.len());
    }
}
