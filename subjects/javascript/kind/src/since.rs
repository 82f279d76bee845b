//! Functions that have changed since an earlier revision.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use catherd_javascript_classes::machine::{Package, Program};

fn git(folder: &Path, arguments: &[&str]) -> Result<Vec<u8>, String> {
    let output = Command::new("git").arg("-C").arg(folder).args(arguments).output();
    let output = output.map_err(|error| format!("git: {error}"))?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let message = String::from_utf8_lossy(&output.stderr);
    let first = message.lines().next().unwrap_or("failed").trim_start_matches("fatal: ");
    Err(format!("git: {first}"))
}

/// The package at `path` as it was at a revision, with the present configuration and untracked
/// files.
pub(crate) fn at_revision(path: &Path, revision: &str, now: &Package) -> Result<Package, String> {
    if revision.starts_with('-') {
        return Err(format!("{revision} is not a revision"));
    }
    let folder = if path.is_dir() { path } else { path.parent().unwrap_or(Path::new(".")) };
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
    let lines = |bytes: Vec<u8>| -> BTreeSet<String> {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        text.split('\0').filter(|path| !path.is_empty()).map(str::to_owned).collect()
    };
    let wanted = |file: &String| path.is_dir() || Some(file) == name.as_ref();
    let before = lines(git(folder, &["ls-tree", "-r", "-z", "--name-only", revision, "--", "."])?);
    let tracked = lines(git(folder, &["ls-files", "-z", "--", "."])?);
    let mut files: BTreeMap<String, Vec<u8>> = now.files.clone();
    files.retain(|file, _| !tracked.contains(file) || before.contains(file));
    for file in before.iter().filter(|file| wanted(file)) {
        let content = git(folder, &["cat-file", "blob", &format!("{revision}:./{file}")])?;
        files.insert(file.clone(), content);
    }
    let mut package = Package::new(files).map_err(|error| error.to_string())?;
    package.config = now.config.clone();
    Ok(package)
}

/// The numbers of the functions of a program that are new or whose own text has changed, apart from
/// white space.
pub(crate) fn changed(program: &Program, before: Option<&Program>) -> Vec<u32> {
    let texts = |program: &Program| -> Vec<(String, String, String)> {
        let units = &program.units;
        let functions = units.functions.iter().enumerate().map(|(number, function)| {
            let file = &units.files[function.file as usize];
            let (start, end) = (function.range.0 as usize, function.range.1 as usize);
            let mut own = String::new();
            let mut at = start;
            let inner = units.functions.iter().filter(|each| each.holder == Some(number as u32));
            for held in inner {
                own.push_str(file.source.get(at..held.range.0 as usize).unwrap_or(""));
                at = at.max(held.range.1 as usize);
            }
            own.push_str(file.source.get(at..end).unwrap_or(""));
            let words: Vec<&str> = own.split_whitespace().collect();
            (file.path.clone(), function.name.clone(), words.join(" "))
        });
        functions.collect()
    };
    let known: BTreeSet<(String, String, String)> =
        before.map(texts).unwrap_or_default().into_iter().collect();
    let now = texts(program).into_iter().enumerate();
    now.filter(|(_, text)| !known.contains(text)).map(|(number, _)| number as u32).collect()
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use super::*;

    #[test]
    fn only_functions_with_another_text_differ() {
        let program = |source: &str| -> Rc<Program> {
            Program::new(Package::of_source("f.js", source).unwrap()).unwrap()
        };
        let before =
            program("exports.f = () => { return 1; };\nexports.g = a => [1].map(x => x + a);");
        let now = program(
            "// new\nexports.f = () => {\n  return 1; };\nexports.g = a => [1].map(x => x - a);\nexports.h = () => 2;",
        );
        let names = |numbers: Vec<u32>| -> Vec<String> {
            let named = numbers.iter().map(|number| {
                let function = &now.units.functions[*number as usize];
                now.units.files[0].source[function.range.0 as usize..function.range.1 as usize]
                    .to_owned()
            });
            named.collect()
        };
        assert_eq!(names(changed(&now, Some(&before))), ["x => x - a", "() => 2"]);
        assert_eq!(changed(&now, None).len(), now.units.functions.len());
        assert!(changed(&now, Some(&now)).is_empty());
    }

    #[test]
    fn a_revision_has_the_files_that_it_had() {
        let folder = tempfile::tempdir().unwrap();
        let run = |arguments: &[&str]| git(folder.path(), arguments).unwrap();
        let write =
            |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        run(&["init", "-q"]);
        write("index.js", "exports.f = 1;");
        write("gone.js", "1");
        run(&["add", "."]);
        let identity = ["-c", "user.name=a", "-c", "user.email=a@b"];
        run(&[&identity[..], &["commit", "-q", "-m", "a"]].concat());
        write("index.js", "exports.f = 2;");
        write("new.js", "1");
        std::fs::remove_file(folder.path().join("gone.js")).unwrap();
        run(&["add", "new.js"]);
        write("untracked.js", "1");
        let now = Package::read(folder.path()).unwrap();
        let before = at_revision(folder.path(), "HEAD", &now).unwrap();
        let names: Vec<&String> = before.files.keys().collect();
        assert_eq!(names, ["gone.js", "index.js", "untracked.js"]);
        assert_eq!(before.text("index.js").unwrap(), "exports.f = 1;");
        let file = folder.path().join("index.js");
        let one = Package::read(&file).unwrap();
        assert_eq!(at_revision(&file, "HEAD", &one).unwrap().files.len(), 1);
        assert!(at_revision(&file, "nothing", &one).unwrap_err().contains("git"));
        assert!(at_revision(&file, "--help", &one).is_err());
    }
}
