//! Tests values from the words of a program, calls of returned functions, and the choice of goals.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::rc::Rc;

use catherd_javascript_classes::machine::{Operation, Package, Program};
use catherd_javascript_classes::{
    Generated, GenerationSettings, Method, Request, Subject, generate, machine_of,
};
use catherd_search::{Algorithm, Budget, Problem, Stream};

fn program(files: &[(&str, &str)]) -> Rc<Program> {
    let files = files.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec()));
    let files: BTreeMap<String, Vec<u8>> = files.collect();
    Program::new(Package::new(files).unwrap()).unwrap()
}

fn generated(program: &Rc<Program>, settings: &GenerationSettings, executions: u64) -> Generated {
    let request = Request {
        method: Method::Search(Algorithm::named("random").unwrap()),
        settings: settings.clone(),
        seed: 3,
        budget: Budget { executions: Some(executions), ..Budget::default() },
        project: String::new(),
        engine: String::new(),
        functions: None,
    };
    generate(program, &request, &mut |_| ControlFlow::Continue(())).unwrap()
}

/// Counts of covered goals with and without words.
fn with_and_without(program: &Rc<Program>) -> [usize; 2] {
    [true, false].map(|words| {
        let settings = GenerationSettings { words, ..GenerationSettings::default() };
        generated(program, &settings, 1_000).covered.len()
    })
}

const OPTIONS: &str = "
    exports.parse = (text, options) => {
        const given = Object.assign({}, options);
        if (given.strict === 'always') { if (/^<[0-9]{2}-[a-f]+>$/.test(text)) return 2; return 1; }
        return given.indent > 3 ? 3 : 0;
    };";

#[test]
fn options_and_expressions_of_the_program_become_values() {
    let [with, without] = with_and_without(&program(&[("index.js", OPTIONS)]));
    assert!(with > without, "{with} and {without}");
    assert_eq!(with, generated_goals(OPTIONS), "all goals with words");
}

fn generated_goals(source: &str) -> usize {
    let settings = GenerationSettings::default();
    generated(&program(&[("index.js", source)]), &settings, 1).goals.len()
}

#[test]
fn documentation_declarations_and_comments_give_values() {
    let code = "exports.level = (name, way) => {
        let sum = 0;
        for (let i = 0; i < name.length; i++) sum = (sum * 31 + name.charCodeAt(i)) % 65521;
        if (sum === SUM) return 1;
        return way === undefined ? 2 : 3;
    };";
    let sum = "kestrel:9".bytes().fold(0_u32, |sum, byte| (sum * 31 + u32::from(byte)) % 65_521);
    let code = code.replace("SUM", &sum.to_string());
    let readme = "# x\n```js\nconst {level} = require('x');\nlevel('kestrel:9', true);\n```\n";
    let plain = [("index.js", code.as_str()), ("package.json", "{\"name\": \"x\"}")];
    let texts = [
        ("README.md", readme),
        ("index.d.ts", "export function level(name: 'a' | 'kestrel:9', way?: boolean): number;"),
        ("test/level.js", "assert(level('kestrel:9'))"),
    ];
    let settings = GenerationSettings { words: true, ..GenerationSettings::default() };
    let without = generated(&program(&plain), &settings, 200).covered.len();
    for text in texts {
        let with = program(&[&plain[..], &[text]].concat());
        let covered = generated(&with, &settings, 200).covered.len();
        assert_eq!(covered, without + 1, "{}", text.0);
    }
    let unmined = GenerationSettings { mined: false, ..settings };
    let with = program(&[&plain[..], &texts[..1]].concat());
    assert_eq!(generated(&with, &unmined, 200).covered.len(), without);
}

#[test]
fn functions_of_results_are_called() {
    let source = "
        exports.counter = step => {
            let n = 0;
            return { add() { n += 2; return this; }, read() { return n > 3 ? 'many' : 'few'; } };
        };
        exports.adder = a => b => (c => c === undefined ? 1 : 2);
        exports.later = f => { if (typeof f === 'function') f(x => x ? 1 : 2, (e, v) => e === null ? v : 0); };
        module.exports = Object.assign(() => 0, exports);";
    let found = program(&[("index.js", source)]);
    let settings = GenerationSettings { words: true, ..GenerationSettings::default() };
    let with = generated(&found, &settings, 600);
    let missing = (0..with.goals.len()).filter(|goal| !with.covered.contains(&(*goal as u32)));
    let missing: Vec<&String> = missing.map(|goal| &with.goals[goal]).collect();
    assert!(missing.len() <= 2, "{missing:?}");
    let again = generated(&found, &settings, 600);
    assert_eq!(with.suite, again.suite);
}

#[test]
fn tests_stay_sound_when_they_are_changed_and_crossed() {
    let source = "
        class Node { constructor(v, options = {}) { this.v = v; this.o = options; } join(other) { return other.v; } }
        exports.Node = Node; exports.make = v => new Node(v, {deep: [v]}); exports.get = f => () => f;";
    let found = program(&[("index.js", source), ("README.md", "`x y` and `<a>`")]);
    let settings = GenerationSettings { words: true, ..GenerationSettings::default() };
    let machine = machine_of(&found, &settings, 1, true);
    let mut subject = Subject::new(&found, machine, settings.clone(), 1).unwrap();
    let mut rng = Stream::new(5, Stream::SEARCH);
    let mut parents = [subject.sample(&mut rng), subject.sample(&mut rng)];
    let mut applied = 0;
    for round in 0..1_500 {
        let [a, b] = &parents;
        let (first, second) = subject.crossover(a, b, &mut rng);
        parents = [subject.mutate(&first, &mut rng), subject.mutate(&second, &mut rng)];
        for genes in &parents {
            assert_eq!(genes.targets.len(), genes.statements.len());
            assert!(genes.statements.len() <= settings.maximum_length);
            for (at, statement) in genes.statements.iter().enumerate() {
                assert!(statement.variables().iter().all(|used| *used < at), "{genes:?}");
                let call = statement.operation == Operation::Method && statement.name == "call";
                applied += usize::from(call);
            }
        }
        if round % 10 == 0 {
            subject.run(&parents[0]);
        }
    }
    assert!(applied > 100, "{applied} calls of returned functions");
}

#[test]
fn only_goals_of_wanted_functions_are_searched() {
    let source = "exports.f = a => a > 1 ? 1 : 2; exports.g = a => a > 1 ? 1 : 2;";
    let found = program(&[("index.js", source)]);
    let request = Request {
        method: Method::Search(Algorithm::named("mosa").unwrap()),
        settings: GenerationSettings::default(),
        seed: 1,
        budget: Budget { executions: Some(100), ..Budget::default() },
        project: String::new(),
        engine: String::new(),
        functions: Some(vec![1]),
    };
    let made = generate(&found, &request, &mut |_| ControlFlow::Continue(())).unwrap();
    assert_eq!((made.goals.len(), made.covered.len()), (3, 3), "{:?}", made.goals);
    let called = made.suite.tests.iter().flat_map(|test| test.statements.last());
    assert!(called.into_iter().all(|statement| statement.path == ["g"]));
}
