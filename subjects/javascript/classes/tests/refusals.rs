//! Tests that refined suites contain no calls that a maintainer would refuse.

use catherd_javascript_classes::machine::Argument;

use crate::refining::calls_of;

fn text(text: &str) -> Argument {
    Argument::String(text.to_owned())
}

fn given(source: &str, readme: &str, name: &str) -> Vec<Vec<Argument>> {
    let tests = calls_of(source, readme);
    let calls = tests.into_iter().flatten().filter(|(called, _)| called == name);
    calls.map(|(_, arguments)| arguments).collect()
}

#[test]
fn calls_of_methods_of_literals_are_not_those_of_functions() {
    let source = "exports.format = (text, ...values) => values.reduce((all, it) => all.replace('%s', it), text);";
    let method = "```js\n'Hello %s, you are %s'.format('Holly', 'young');\n```\n";
    let wanted = vec![text("Holly"), text("young")];
    assert!(!given(source, method, "format").contains(&wanted));
    let function = "```js\ntool.format('Hello %s', 'Holly');\n```\n";
    let calls = given(source, function, "format");
    assert!(calls.contains(&vec![text("Hello %s"), text("Holly")]), "{calls:?}");
}

#[test]
fn numbers_are_in_the_range_that_comments_give() {
    let source = "/**
     * The length of a level.
     * @param {number} level - the level, 3-6
     */
    exports.long = level => level < 3 ? 10 : level > 5 ? 30 : 20;";
    let calls = given(source, "`long` returns a length.\n", "long");
    let inside =
        |it: &Vec<Argument>| matches!(it[..], [Argument::Number(it)] if (3.0..=6.0).contains(&it));
    assert!(!calls.is_empty() && calls.iter().all(inside), "{calls:?}");
    let calls = given(&source.replace(", 3-6", ""), "`long` returns a length.\n", "long");
    assert!(!calls.iter().all(inside), "{calls:?}");
}

#[test]
fn texts_are_not_given_where_members_of_objects_are_read() {
    let source = "exports.area = shape => { if (!shape.sides) return 0; return shape.sides * shape.sides; };";
    let calls = given(source, "```js\nconst all = load();\ntool.area(all[0]);\n```\n", "area");
    let simple = |it: &Vec<Argument>| matches!(it[..], [Argument::String(_) | Argument::Number(_)]);
    assert!(!calls.iter().any(simple), "{calls:?}");
}

#[test]
fn options_have_names_that_the_program_or_its_documentation_knows() {
    let source = "exports.show = (text, options = {}) => {
        let all = '';
        for (const name in options) all += name;
        return options.loud ? text.toUpperCase() : text + '.' + all;
    };";
    let calls = given(source, "```js\ntool.show('hello');\n```\n", "show");
    let known = |it: &Argument| match it {
        Argument::Object(members) => members.iter().all(|(name, _)| name == "loud"),
        _ => true,
    };
    assert!(!calls.is_empty() && calls.iter().flatten().all(known), "{calls:?}");
}

#[test]
fn functions_of_two_values_are_not_replaced_by_functions_of_one() {
    let source = "exports.fold = (list, join) => {
        let all = list[0];
        for (const it of list.slice(1)) all = join(all, it);
        return all;
    };";
    let two = "```js\ntool.fold([1, 2], (a, b) => a + b);\n```\n";
    let passes = |readme: &str| {
        let calls = given(source, readme, "fold");
        calls
            .iter()
            .flatten()
            .any(|it| matches!(it, Argument::Function(what, _) if what == "first"))
    };
    assert!(!passes(two));
    assert!(passes(&two.replace("(a, b) => a + b", "a => a")));
}

#[test]
fn errors_are_not_about_optional_arguments() {
    let source = "exports.open = (name, mode) => {
        if (mode === undefined) throw new Error('mode is required');
        return name + mode;
    };";
    let needed = "```js\ntool.open('hello', 'r');\n```\n";
    let fails = |readme: &str| given(source, readme, "open").iter().any(|it| it.len() == 1);
    assert!(!fails(&format!("{needed}```js\ntool.open('foo');\n```\n")));
}

#[test]
fn tests_do_not_show_other_results_than_the_documentation() {
    let source = "exports.twice = text => text + text;";
    let readme = |shown: &str| format!("```js\ntool.twice('ab'); // => {shown}\n```\n");
    let calls = |shown: &str| given(source, &readme(shown), "twice");
    let call = vec![text("ab")];
    assert!(calls("'abab'").contains(&call) && calls("abab").contains(&call));
    assert!(calls("'ab ab'").contains(&call) && calls("the text two times").contains(&call));
    assert!(!calls("'ab-ab'").contains(&call) && !calls("4").contains(&call));
}

#[test]
fn results_do_not_depend_on_the_environment() {
    let source = "exports.home = name => (process.env.HOME || '/home') + '/' + name;
    exports.join = name => '/home/' + name;";
    let readme = "```js\ntool.home('hello');\ntool.join('hello');\n```\n";
    assert!(given(source, readme, "home").is_empty());
    assert!(!given(source, readme, "join").is_empty());
}

#[test]
fn members_of_objects_are_neither_functions_nor_flags_without_reason() {
    let source = "exports.make = (options = {}) => {
        const size = typeof options.size === 'function' ? options.size() : options.size;
        return options.store ? 'stored ' + size : 'made ' + size;
    };";
    let readme = "```js\ntool.make({ size: 2 });\ntool.make({ size: 5, store: connect() });\n```\n";
    let calls = given(source, readme, "make");
    let number = |it: &Argument| match it {
        Argument::Object(members) => {
            members.iter().all(|(name, it)| name == "size" && matches!(it, Argument::Number(_)))
        }
        _ => true,
    };
    assert!(!calls.is_empty() && calls.iter().flatten().all(number), "{calls:?}");
}

#[test]
fn keys_are_those_of_what_is_given() {
    let source = "exports.pick = (object, key) => key in object ? object[key] + '!' : 'none';";
    let readme = "```js\ntool.pick({ size: 'large' }, 'size');\n```\n";
    let calls = given(source, readme, "pick");
    let size = |it: &Vec<Argument>| it.get(1) == Some(&text("size"));
    assert!(!calls.is_empty() && calls.iter().all(size), "{calls:?}");
}

#[test]
fn collections_find_something_only_after_elements_were_added() {
    let source = "exports.Bag = class Bag {
        constructor() { this.items = []; }
        add(item) { this.items.push(item); }
        has(item) { return this.items.includes(item); }
    };";
    let readme = "```js\nconst bag = new Bag();\nbag.add(3);\nbag.has(3); // true\n```\n```js\nnew Bag().has(4);\n```\n";
    let tests = calls_of(source, readme);
    let shown: Vec<usize> =
        tests.iter().filter(|test| test.last().unwrap().0 == "has").map(Vec::len).collect();
    assert!(!shown.is_empty() && shown.iter().all(|count| *count > 2), "{tests:?}");
}

#[test]
fn examples_count_more_than_types() {
    let source =
        "/** @param {Counts} counts */\nexports.total = counts => counts.words + counts.lines;";
    let readme = "```js\ntool.total({ words: 7, lines: 4 }); // => 11\n```\n";
    let types = "/** @typedef {string} Counts */\n";
    let calls = given(&format!("{types}{source}"), readme, "total");
    assert_eq!(calls.len(), 1, "{calls:?}");
}

#[test]
fn digits_that_the_documentation_shows_are_asserted() {
    let source = "exports.index = (words, lines) => words / lines * 1.37;";
    let readme = |shown: &str| format!("```js\ntool.index(151, 6); // {shown}\n```\n");
    let call = vec![Argument::Number(151.0), Argument::Number(6.0)];
    assert!(given(source, &readme("=> 34.478333\u{2026}"), "index").contains(&call));
    assert!(!given(source, &readme("see above"), "index").contains(&call));
}

#[test]
fn results_that_depend_on_files_are_not_shown() {
    let source = "const fs = require('fs');
    function entryExists(path) { return fs.existsSync(path); }
    exports.isFolder = path => entryExists(path) && path.length > 2;
    exports.isRoot = path => path === '/';";
    let readme = "```js\ntool.isFolder('/tmp');\ntool.isRoot('/');\n```\n";
    assert!(given(source, readme, "isFolder").is_empty());
    assert!(!given(source, readme, "isRoot").is_empty());
}

#[test]
fn digests_that_nothing_documents_are_not_shown() {
    let source = "exports.hash = text => {
        let sum = 7;
        for (const letter of text) sum = sum * 31 + letter.charCodeAt(0) | 0;
        return sum;
    };";
    let readme = "```js\ntool.hash('hello world');\n```\n";
    assert!(given(source, readme, "hash").is_empty());
    let other = source.replace("exports.hash", "exports.total");
    assert!(!given(&other, &readme.replace("hash", "total"), "total").is_empty());
}

#[test]
fn methods_of_texts_are_called_with_the_argument_that_they_need() {
    let source = "exports.wrap = text => ({
        startsWith(other) { return text.toLowerCase().startsWith(String(other).toLowerCase()); },
        toString() { return text.toLowerCase(); },
    });";
    let readme = "```js\ntool.wrap('Hello').toString();\n```\n";
    let calls = given(source, readme, "startsWith");
    assert!(calls.iter().all(|it| !it.is_empty()), "{calls:?}");
}
