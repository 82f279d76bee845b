//! Comparison of two corpora.

use std::collections::BTreeMap;

use super::{Corpus, Member, Sha};

/// Differences between two corpora. Dates of fetching are not compared.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Difference {
    /// Ids that only the first corpus contains.
    pub only_first: Vec<String>,
    /// Ids that only the second corpus contains.
    pub only_second: Vec<String>,
    /// Ids whose projects differ.
    pub changed: Vec<String>,
    /// Ids of projects with equal archives, with the first column of the manifest that differs.
    pub redescribed: Vec<(String, &'static str)>,
    /// Ids of the same project in the first and in the second corpus, which are also in
    /// `only_first` and `only_second`.
    pub renamed: Vec<(String, String)>,
    /// Whether the projects differ only in their order.
    pub reordered: bool,
    /// Whether recipes or sampling frames differ.
    pub other_recipe: bool,
}

impl Difference {
    /// Whether the corpora are equal except for dates, recipes and sampling frames.
    pub fn is_empty(&self) -> bool {
        Difference { other_recipe: false, ..self.clone() } == Difference::default()
    }
}

/// Compares two corpora by their manifests and metadata.
pub fn compare(first: &Corpus, second: &Corpus) -> Difference {
    let by_id = |corpus: &'_ Corpus| -> BTreeMap<String, Member> {
        corpus.members.iter().map(|member| (member.id.clone(), member.clone())).collect()
    };
    let (firsts, seconds) = (by_id(first), by_id(second));
    let mut difference = Difference::default();
    for member in &first.members {
        match seconds.get(&member.id) {
            None => difference.only_first.push(member.id.clone()),
            Some(other) if other.sha256 != member.sha256 => {
                difference.changed.push(member.id.clone());
            }
            Some(other) => {
                let column = column(member, other);
                difference.redescribed.extend(column.map(|name| (member.id.clone(), name)));
            }
        }
    }
    let added = second.members.iter().filter(|member| !firsts.contains_key(&member.id));
    difference.only_second = added.map(|member| member.id.clone()).collect();
    let mut lost: BTreeMap<Sha, Vec<&String>> = BTreeMap::new();
    for id in difference.only_first.iter().rev() {
        lost.entry(firsts[id].sha256).or_default().push(id);
    }
    for id in &difference.only_second {
        if let Some(old) = lost.get_mut(&seconds[id].sha256).and_then(Vec::pop) {
            difference.renamed.push((old.clone(), id.clone()));
        }
    }
    difference.reordered = difference.is_empty() && first.metadata.digest != second.metadata.digest;
    difference.other_recipe = first.metadata.recipe != second.metadata.recipe
        || first.metadata.frame != second.metadata.frame;
    difference
}

fn column(a: &Member, b: &Member) -> Option<&'static str> {
    let columns = [
        ("title", a.title == b.title),
        ("author", a.author == b.author),
        ("source", a.source == b.source),
        ("licence", a.licence == b.licence),
        ("statements", a.statements == b.statements),
        ("scripts", a.scripts == b.scripts),
        ("sprites", a.sprites == b.sprites),
        ("extensions", a.extensions == b.extensions),
    ];
    columns.into_iter().find(|(_, same)| !same).map(|(name, _)| name)
}
