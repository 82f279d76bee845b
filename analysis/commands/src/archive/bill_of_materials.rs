//! The bill of materials: the crates in the lock file of this program, in the format of CycloneDX.

use catherd_cli_console::Failure;
use serde::Deserialize;
use serde_json::{Value, json};

pub(super) const FILE: &str = "sbom.cdx.json";

#[derive(Deserialize)]
struct Lock {
    package: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    version: String,
    checksum: Option<String>,
    #[serde(default)]
    dependencies: Vec<String>,
}

impl Package {
    fn reference(&self) -> String {
        format!("pkg:cargo/{}@{}", self.name, self.version)
    }
}

pub(super) fn of(lock: &str) -> Result<Vec<u8>, Failure> {
    let Lock { package: packages } = toml::from_str(lock).map_err(Failure::new)?;
    let component = |package: &Package| {
        let mut component = json!({
            "type": "library",
            "bom-ref": package.reference(),
            "name": package.name,
            "version": package.version,
            "purl": package.reference(),
        });
        if let Some(checksum) = &package.checksum {
            component["hashes"] = json!([{ "alg": "SHA-256", "content": checksum }]);
        }
        component
    };
    let dependency = |package: &Package| {
        // The lock file states the version of a dependency only if the file contains several
        // versions of the crate.
        let of = |wanted: &String| {
            let (name, version) = wanted.split_once(' ').unwrap_or((wanted, ""));
            let mut found = packages.iter().filter(|one| one.name == name);
            found.find(|one| version.is_empty() || one.version == version).map(Package::reference)
        };
        let on: Vec<String> = package.dependencies.iter().filter_map(of).collect();
        json!({ "ref": package.reference(), "dependsOn": on })
    };
    let own = |package: &&Package| package.name == "catherd";
    let program = packages.iter().find(own).map(component).unwrap_or(Value::Null);
    let others = packages.iter().filter(|package| !own(package));
    let document = json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": { "component": application(program) },
        "components": others.map(component).collect::<Vec<_>>(),
        "dependencies": packages.iter().map(dependency).collect::<Vec<_>>(),
    });
    let mut bytes = serde_json::to_vec_pretty(&document).map_err(Failure::new)?;
    bytes.push(b'\n');
    Ok(bytes)
}

fn application(mut program: Value) -> Value {
    if program.is_object() {
        program["type"] = "application".into();
    }
    program
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crates_are_listed_with_their_dependencies() {
        let lock = "version = 4\n\n[[package]]\nname = 'catherd'\nversion = '1.0.0'\n\
            dependencies = ['b 2.0.0']\n\n[[package]]\nname = 'b'\nversion = '1.0.0'\nchecksum = 'aa'\n\n\
            [[package]]\nname = 'b'\nversion = '2.0.0'\nchecksum = 'bb'\n";
        let bill: Value = serde_json::from_slice(&of(lock).unwrap()).unwrap();
        assert_eq!(bill["metadata"]["component"]["type"], "application");
        assert_eq!(bill["components"][1]["hashes"][0]["content"], "bb");
        assert_eq!(bill["dependencies"][0]["dependsOn"][0], "pkg:cargo/b@2.0.0");
    }
}
