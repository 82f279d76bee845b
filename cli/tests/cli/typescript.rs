//! Tests projects that are written in TypeScript.

use std::fs;
use std::process::Command;

use crate::support::catherd;

/// A module with imports that name a JavaScript file, use a path of `tsconfig.json`, or import only
/// types.
const CART: &str = "import type { Item } from './types.js';
import { Rounding } from './types';
import { Level } from '@/level.js';
import { parse } from './level.js';
export { parse };
export class Cart<T extends Item> {
  private readonly items: T[] = [];
  constructor(public readonly owner: string, private level: Level = Level.Basic) {}
  add(item: T): this;
  add(item: T, times?: number): this {
    for (let i = 0; i < (times ?? 1); i++) this.items.push(item);
    return this;
  }
  total(rounding?: Rounding): number {
    let sum = 0;
    for (const item of this.items) {
      if (item.kind === 'antique book') sum += 100;
      sum += <number>item.price * (item.count ?? 1)!;
    }
    if (this.level === Level.Gold) sum *= 0.9;
    return rounding === 'to the next ten' ? Math.ceil(sum / 10) * 10 : (sum as number);
  }
}
";
const TYPES: &str =
    "export interface Item { kind: 'antique book' | 'food'; price: number; count?: number }
export type Rounding = 'to the next ten' | 'none';
";
const LEVEL: &str = "export enum Level { Basic, Silver = 51, Gold }
export const parse = (text: keyof typeof Level): Level => Level[text];
";

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    fs::create_dir(folder.path().join("src")).unwrap();
    write("package.json", "{\"type\": \"module\"}");
    let paths = "{ \"compilerOptions\": { \"paths\": { \"@/*\": [\"./src/*\"] } } } // here";
    write("tsconfig.json", paths);
    write("src/index.ts", CART);
    write("src/types.ts", TYPES);
    write("src/level.ts", LEVEL);
    folder
}

fn run(folder: &tempfile::TempDir, arguments: &[&str]) -> String {
    let output = catherd().current_dir(folder.path()).args(arguments).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}\n{text}\n{error}");
    text
}

#[test]
#[ignore = "slow"]
fn suites_for_typescript_are_made_and_executed() {
    let (folder, suites) = (folder(), tempfile::tempdir().unwrap());
    let suite = suites.path().join("suite.json");
    let suite = suite.to_str().unwrap();
    let made = run(&folder, &["generate", ".", "--executions", "4000", "-q", "-o", suite]);
    // Full coverage needs the two strings of the types and the value 52 of the enum.
    assert!(made.contains("(100.0 %)"), "{made}");
    let text = fs::read_to_string(suite).unwrap();
    assert!(text.contains("antique book") && text.contains("to the next ten"), "{text}");
    let tested = run(&folder, &["test", ".", suite]);
    assert!(tested.contains("# fail 0"), "{tested}");
    let json = run(&folder, &["coverage", ".", suite, "--json"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let statements = json["src/index.ts"]["statementMap"].as_object().unwrap();
    // Statements have the positions of the original file.
    let (number, line) =
        CART.lines().enumerate().find(|(_, line)| line.contains("sum *= 0.9")).unwrap();
    let column = line.find("sum *= 0.9").unwrap();
    let place = serde_json::json!({"line": number + 1, "column": column});
    assert!(statements.values().any(|each| each["start"] == place), "{statements:?}");
    let mutants = run(&folder, &["mutate", ".", suite, "--survivors"]);
    assert!(mutants.contains("all "), "{mutants}");
    let inspected = run(&folder, &["inspect", "."]);
    assert!(inspected.contains("entry src/index.ts"), "{inspected}");
}

#[test]
#[ignore = "needs node"]
fn suites_for_typescript_are_confirmed_and_name_nothing_private() {
    let (folder, tests) = (folder(), tempfile::tempdir().unwrap());
    for style in ["node-test", "jest", "mocha"] {
        let code = tests.path().join(format!("{style}.test.mjs"));
        let code = code.to_str().unwrap();
        let made = run(
            &folder,
            &["generate", ".", "--executions", "4000", "--style", style, "-q", "-o", code],
        );
        assert!(made.contains("Confirmed in Node.js"), "{made}");
        let text = fs::read_to_string(code).unwrap();
        assert!(text.contains("describe('Cart'") && text.contains(".owner"), "{text}");
        assert!(text.contains("src/index.ts") && text.contains("TypeScript"), "{text}");
        for hidden in [".items", ".level"] {
            assert!(!text.contains(hidden), "{text}");
        }
        let checked = Command::new("node").args(["--check", code]).status().unwrap();
        assert!(checked.success(), "{text}");
    }
}

#[test]
fn typescript_that_cannot_be_converted_is_refused_with_its_place() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.ts"), "type A = 1;\n@sealed\nexport class B {}\n").unwrap();
    let output = catherd().current_dir(folder.path()).args(["inspect", "a.ts"]).output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(error.contains("a.ts:2: decorators are not supported"), "{error}");
}
