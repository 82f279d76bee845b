//! Tests that a store of version 0.3.0 can be read: `tests/format-1/study.db`.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use catherd_coordinator::StoreUrl;
use catherd_coordinator::store::{Store, StoreReader};

#[test]
fn a_store_of_version_0_3_0_is_read() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/format-1");
    let runs = fs::read_to_string(folder.join("runs.csv")).unwrap();
    // The first two columns are the run and the digest of its record.
    let digests = runs.lines().skip(1).filter_map(|line| {
        let mut cells = line.split(',');
        Some((cells.next()?.to_owned(), cells.next()?.to_owned()))
    });
    let digests: BTreeMap<String, String> = digests.collect();
    assert_eq!(digests.len(), 12);

    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("study.db");
    fs::copy(folder.join("study.db"), &file).unwrap();
    let url = StoreUrl::Sqlite(file);
    // A coordinator opens the store for writing first.
    drop(Store::open(&url).unwrap());
    let mut reader = StoreReader::open(&url).unwrap();
    let study = reader.studies().unwrap().pop().unwrap();
    assert_eq!(study.name, "format-1");
    let plan: catherd_experiments::Plan = serde_json::from_slice(&study.plan).unwrap();
    let engines = |id: &str| [("scratch".to_owned(), id.to_owned())].into();
    assert_eq!(plan.check(&engines("catherd/0.3.0")), Ok(()));
    assert!(plan.check(&engines("scratch/2")).is_err());

    let mut read = BTreeMap::new();
    for record in reader.records(study.number) {
        let (spec, record) = record.unwrap();
        assert_eq!((spec.id(), &*record.criteria[0].name), (record.run, "blocks"));
        let digest = record.digest_of_format_1().unwrap();
        read.insert(spec.id().to_string(), digest.to_string());
    }
    assert_eq!(read, digests);
}
