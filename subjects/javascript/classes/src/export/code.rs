//! The head of the code: imports, and a function that loads the subject before each test.

use std::fmt::Write as _;

use super::literals::{is_name, member, quoted};
use super::test::TAKEN;
use super::{Code, Style, names_of_script};
use crate::mined::{GENERATED, WITH_SEED};
use crate::suite::Suite;

/// Names that the variable of the subject cannot have, because the code uses them.
const RESERVED: &str = "Array BigInt Boolean Buffer Date Error Function Infinity JSON Map Math NaN Number Object Promise \
    Proxy Reflect RegExp Set String Symbol URL console args arg createRequire data file fileURLToPath fs inside \
    loaded promise register resolve root script";

impl Code {
    /// The name of the variable that holds the subject: the name of the export itself, if a variable
    /// can have it.
    pub(super) fn name_of_subject(&self) -> &str {
        let name = self.own_name.as_str();
        let taken = |list: &str| list.split_whitespace().any(|word| word == name);
        let usable = !self.script && is_name(name) && !taken(TAKEN) && !taken(RESERVED);
        if usable { name } else { "subject" }
    }

    /// The head loads the subject before each test, so that no test depends on the state that an
    /// earlier test left in modules.
    pub(super) fn head(&self, suite: &Suite) -> String {
        let mut text = format!("{GENERATED}{}{WITH_SEED}{}.\n", suite.algorithm, suite.seed);
        if !self.note.is_empty() {
            let _ = writeln!(text, "// {}", self.note);
        }
        if !self.typed.is_empty() {
            text += "// Its subject is TypeScript: execute it with a loader, such as node --import tsx.\n";
        }
        let import = |names: &str, from: &str| match self.in_module {
            true => format!("import {names} from '{from}';\n"),
            false => format!("const {names} = require('{from}');\n"),
        };
        if self.style == Style::NodeTest {
            text += &import("{ beforeEach, describe, test }", "node:test");
        }
        if self.style == Style::Jest && self.in_module {
            text += &import("{ beforeEach, describe, expect, jest, test }", "@jest/globals");
        }
        if self.style != Style::Jest {
            text += &import("assert", "node:assert/strict");
        }
        let path = quoted(&self.subject);
        let inside: String = self.namespace.iter().map(|name| member(name)).collect();
        if self.script {
            text += &import("fs", "node:fs");
            text += &import("files", "node:path");
            let folder = if self.in_module { "import.meta.dirname" } else { "__dirname" };
            let names = names_of_script(suite);
            let _ = write!(
                text,
                "\nconst script = fs.readFileSync(files.join({folder}, {path}), 'utf8');\n\
                 let subject;\nbeforeEach(() => {{\n  subject = new Function(`${{script}}\\n;return {{ {} }};`)();\n}});\n\n",
                names.join(", ")
            );
            return text;
        }
        if self.module && self.style != Style::Jest {
            text += &import("{ register }", "node:module");
        } else if !self.module && self.style != Style::Jest {
            text += &import("files", "node:path");
        }
        if self.in_module && !self.module {
            text += "import { createRequire } from 'node:module';\n";
        }
        text.push('\n');
        text += &if self.module {
            self.module_loader(&path, &inside)
        } else {
            self.script_loader(&path, &inside)
        };
        text
    }

    fn module_loader(&self, path: &str, inside: &str) -> String {
        let name = self.name_of_subject();
        let mut text = String::new();
        if self.style == Style::Jest {
            let _ = write!(
                text,
                "// Jest loads modules only with NODE_OPTIONS=--experimental-vm-modules.\n\
                 let {name};\nbeforeEach(async () => {{\n  jest.resetModules();\n  \
                 const loaded = await import({path});\n  {name} = loaded{inside};\n}});\n\n"
            );
            return text;
        }
        text.push_str(RELOAD);
        let _ = write!(
            text,
            "let {name};\nlet loads = 0;\nbeforeEach(async () => {{\n  loads += 1;\n  \
             const loaded = await import({path} + '?load=' + loads);\n  {name} = loaded{inside};\n}});\n\n"
        );
        text
    }

    /// For a subject that is not an ES module.
    fn script_loader(&self, path: &str, inside: &str) -> String {
        let name = self.name_of_subject();
        let mut text = String::new();
        if self.in_module {
            text.push_str("const require = createRequire(import.meta.url);\n");
        }
        if self.style == Style::Jest {
            let _ = write!(
                text,
                "let {name};\nbeforeEach(() => {{\n  jest.resetModules();\n  \
                 {name} = require({path}){inside};\n}});\n\n"
            );
            return text;
        }
        let folder = if self.in_module { "import.meta.dirname" } else { "__dirname" };
        let root = quoted(&self.root);
        let _ = write!(
            text,
            "const root = files.resolve({folder}, {root}) + files.sep;\n\n\
             let {name};\nbeforeEach(() => {{\n  \
             // Load all files of the project again, so that no test sees what another one left in them.\n  \
             for (const file of Object.keys(require.cache)) {{\n    \
             const inside = file.startsWith(root) && !file.slice(root.length).includes('node_modules');\n    \
             if (inside) delete require.cache[file];\n  }}\n  {name} = require({path}){inside};\n}});\n\n"
        );
        text
    }
}

/// Code with which Node.js loads all modules of a project again when it loads the entry.
pub(super) const RELOAD: &str = "\
// Load all modules of the project again with the entry: no test sees what another one left in them.
register('data:text/javascript,' + encodeURIComponent(`
  export async function resolve(request, context, next) {
    const found = await next(request, context);
    const load = new URL(context.parentURL ?? 'file:///').searchParams.get('load');
    const own = /^file:[^?]*$/.test(found.url) && !found.url.includes('/node_modules/');
    return own && load !== null ? { ...found, url: found.url + '?load=' + load } : found;
  }
`));

";
