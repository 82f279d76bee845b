//! Tests the search for strings, and calls of methods that lead to the files under test.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::rc::Rc;

use catherd_javascript_classes::machine::{Package, Program};
use catherd_javascript_classes::{Generated, GenerationSettings, Method, Request, generate};
use catherd_search::{Algorithm, Budget};

fn generated(files: &[(&str, &str)], algorithm: &str, executions: u64) -> Generated {
    let files = files.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec()));
    let files: BTreeMap<String, Vec<u8>> = files.collect();
    let program: Rc<Program> = Program::new(Package::new(files).unwrap()).unwrap();
    let request = Request {
        method: Method::Search(Algorithm::named(algorithm).unwrap()),
        settings: GenerationSettings { words: true, ..GenerationSettings::default() },
        seed: 5,
        budget: Budget { executions: Some(executions), ..Budget::default() },
        project: String::new(),
        engine: String::new(),
        functions: None,
    };
    generate(&program, &request, &mut |_| ControlFlow::Continue(())).unwrap()
}

fn missing(generated: &Generated) -> Vec<&String> {
    let all = 0..generated.goals.len();
    let missing = all.filter(|goal| !generated.covered.contains(&(*goal as u32)));
    missing.map(|goal| &generated.goals[goal]).collect()
}

/// Reads escapes such as `"\x41"` one character at a time.
const READER: &str = r#"
    const digit = c => {
        if (c >= 0x30 && c <= 0x39) return c - 0x30;
        if (c >= 0x61 && c <= 0x66) return c - 0x61 + 10;
        return -1;
    };
    exports.read = text => {
        let at = 0, result = '';
        if (text.charCodeAt(at++) !== 0x22) throw new Error('no quote');
        for (;;) {
            const c = text.charCodeAt(at++);
            if (c !== c) throw new Error('end');
            if (c === 0x22) return result;
            if (c === 0x5C) {
                const kind = text.charCodeAt(at++);
                let length = 0;
                if (kind === 0x78) length = 2;
                else if (kind === 0x75) length = 4;
                else if (kind === 0x6E) result += '\n';
                else throw new Error('escape');
                let code = 0;
                for (; length > 0; length--) {
                    const value = digit(text.charCodeAt(at++));
                    if (value < 0) throw new Error('digit');
                    code = code * 16 + value;
                }
                if (length === 0 && code > 0) result += String.fromCharCode(code);
            } else result += String.fromCharCode(c);
        }
    };"#;

#[test]
fn characters_with_which_decisions_compare_are_put_where_they_are_compared() {
    let found = generated(&[("index.js", READER)], "dynamosa", 3_000);
    assert_eq!(missing(&found), Vec::<&String>::new());
    let again = generated(&[("index.js", READER)], "dynamosa", 3_000);
    assert_eq!(found.suite, again.suite);
}

#[test]
fn methods_of_classes_in_other_files_lead_to_the_files_under_test() {
    let inner = "module.exports = class Inner { read(text) { return text[0] === '<' ? 1 : 2; } };";
    let outer = "const Inner = require('./inner');
        exports.Outer = class Outer {
            constructor(options) { this.options = options; }
            parse(text) { return new Inner().read(String(text)); }
        };";
    let files =
        [("index.js", outer), ("inner.js", inner), ("subject.toml", "targets = [\"inner.js\"]\n")];
    let found = generated(&files, "dynamosa", 300);
    assert_eq!(missing(&found), Vec::<&String>::new());
}
