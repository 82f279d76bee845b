//! Tests that catherd either loads or refuses randomly damaged files, and does not hang.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::support::catherd;

/// Maximum time of a command on a damaged file.
const LONGEST: Duration = Duration::from_secs(120);

/// Strings that replace or separate tokens.
const TOKENS: [&str; 24] = [
    "(", ")", "{", "}", "[", "]", ";", ",", "=>", "...", "`", "'", "?.", "<", ">", "await ",
    "class ", "enum ", "as ", "!", ": ", "/", "0", "import ",
];

const TYPED: &str = "import { type A } from './a.js';\nexport enum E { B, C = B | 2, D = 'd' }\n\
    namespace N { export const n: number = 1; }\nexport abstract class F<T extends A> { \
    constructor(private readonly x: T, public y?: E) {}\n  get z(): number { return this.y! + N.n; }\n  \
    m(this: F<T>, ...a: T[]): asserts a is T[] {}\n}\nexport const f = <T,>(x: T): x is T => <any>x as T;\n";

/// A generator of pseudorandom numbers, which make each damaged file reproducible.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % end.max(1)
    }
}

/// Changes a byte or a part of a file.
fn damaged(text: &[u8], numbers: &mut Numbers) -> Vec<u8> {
    let mut made = text.to_vec();
    let at = numbers.below(made.len());
    let token = TOKENS[numbers.below(TOKENS.len())].as_bytes();
    match numbers.below(5) {
        0 => made[at] = numbers.below(256) as u8,
        1 => drop(made.remove(at)),
        2 => drop(made.splice(at..at, token.iter().copied())),
        3 => {
            let end = (at + numbers.below(20)).min(made.len());
            made.splice(at..end, token.iter().copied());
        }
        _ => {
            let end = (at + numbers.below(40)).min(made.len());
            let part = made[at..end].to_vec();
            let to = numbers.below(made.len());
            made.splice(to..to, part);
        }
    }
    made
}

/// `CATHERD_MUTATED` sets the number of damaged files, and `CATHERD_MUTATED_FROM` names a folder
/// with files to damage.
#[test]
#[ignore = "takes minutes"]
fn damaged_files_are_loaded_or_refused() {
    let wanted = |name: &str| std::env::var(name).ok();
    let count = wanted("CATHERD_MUTATED").and_then(|text| text.parse().ok()).unwrap_or(200);
    let demo = Path::new(env!("CARGO_MANIFEST_DIR")).join("../datasets/javascript");
    let from = wanted("CATHERD_MUTATED_FROM").map_or(demo, PathBuf::from);
    let mut sources: Vec<(String, Vec<u8>)> = fs::read_dir(from)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| {
            path.extension().is_some_and(|end| ["js", "mjs", "ts"].iter().any(|e| end == *e))
        })
        .map(|path| {
            (path.file_name().unwrap().to_string_lossy().into_owned(), fs::read(&path).unwrap())
        })
        .collect();
    sources.sort();
    sources.push(("typed.ts".to_owned(), TYPED.as_bytes().to_vec()));
    let folder = tempfile::tempdir().unwrap();
    let (mut loaded, mut refused) = (0, 0);
    for number in 0..count {
        let mut numbers = Numbers(number as u64);
        let (name, text) = &sources[number % sources.len()];
        let file = folder.path().join(name);
        fs::write(&file, damaged(text, &mut numbers)).unwrap();
        let output = catherd()
            .timeout(LONGEST)
            .current_dir(folder.path())
            .args(["generate", name, "--executions", "20", "-q", "-o", "suite.json"])
            .output()
            .unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        match output.status.code() {
            Some(0) => loaded += 1,
            Some(1 | 2) if !error.contains("panicked") => refused += 1,
            code => panic!("damage {number} of {name}: {code:?}\n{error}"),
        }
        fs::remove_file(file).unwrap();
    }
    #[allow(clippy::print_stdout)] // A measurement.
    {
        println!("{loaded} loaded, {refused} refused");
    }
    assert!(loaded > 0 && refused > 0);
}
