//! Answers: all statistics that apply to given samples.

use catherd_analysis::stats::{
    ChiSquare, Compat, Contingency, Convention, Description, Interval, LinearFit, MannWhitney,
    Nemenyi, PValue, SignedRank, Unavailable, benjamini_hochberg, friedman, holm, kruskal_wallis,
    pearson, spearman,
};
use serde_json::{Map, Value, json};

use super::question::Question;

pub(super) struct Answers {
    pub(super) compat: Option<Compat>,
    pub(super) alpha: f64,
    pub(super) convention: Convention,
}

impl Answers {
    pub(super) fn answer(&self, line: u64, question: &Question) -> Value {
        let mut answer = Answer::default();
        answer.put("line", line);
        if let Some(compat) = self.compat {
            answer.put("compat", compat.to_string());
        }
        if let (Some(x), Some(y)) = (&question.x, &question.y) {
            self.two_samples(&mut answer, x, y);
        }
        if let Some(blocks) = &question.blocks {
            self.blocks(&mut answer, blocks);
        }
        if let Some(p) = &question.p {
            answer.set("holm", holm(p));
            answer.set("benjamini_hochberg", benjamini_hochberg(p));
        }
        if let Some(cells) = question.table {
            self.table(&mut answer, Contingency::new(cells));
        }
        answer.finish()
    }

    fn two_samples(&self, answer: &mut Answer, x: &[f64], y: &[f64]) {
        answer.put("n", json!([x.len(), y.len()]));
        let descriptions = [Description::of(x), Description::of(y)];
        answer.put("mean", json!(descriptions.map(|d| d.ok().map(|d| number(d.mean)))));
        answer.put("median", json!(descriptions.map(|d| d.ok().map(|d| number(d.median)))));
        let test = MannWhitney::new(x, y);
        let of = |statistic: fn(&MannWhitney) -> f64| test.as_ref().map(statistic).map_err(|e| *e);
        answer.set("a12", of(MannWhitney::a12));
        answer.set("a12_ci", and_then(&test, |t| t.a12_interval(1.0 - self.alpha)));
        let magnitude = and_then(&test, |t| Ok(t.magnitude(self.convention).to_string()));
        answer.set("a12_magnitude", magnitude);
        answer.set("cliffs_delta", of(MannWhitney::cliffs_delta));
        answer.set("u1", of(MannWhitney::u1));
        answer.set("u2", of(MannWhitney::u2));
        let p = and_then(&test, |t| match self.compat {
            Some(compat) => compat.mann_whitney(t),
            None => Ok(t.p()),
        });
        answer.set("p", p);
        answer.set("method", p.map(|p| p.method.to_string()));
        let exact = and_then(&test, |t| {
            if x.len().saturating_mul(y.len()) > MannWhitney::EXACT_PAIRS {
                return Err(Unavailable::TooMany);
            }
            match self.compat {
                Some(compat) => compat.mann_whitney_exact(t),
                None => Ok(t.exact()),
            }
        });
        answer.set("p_exact", exact);
        answer.set("p_asymptotic", and_then(&test, |t| Ok(t.asymptotic())));
        answer.set("kruskal", kruskal_wallis(&[x, y]));
        if x.len() == y.len() {
            self.pairs(answer, x, y);
        }
        if let Some(table) = Contingency::of_outcomes(x, y) {
            self.table(answer, Ok(table));
        }
    }

    fn pairs(&self, answer: &mut Answer, x: &[f64], y: &[f64]) {
        self.signed_rank(answer, SignedRank::new(x, y));
        let (r, rho) = (pearson(x, y), spearman(x, y));
        answer.set("pearson_r", r.map(|c| c.r));
        answer.set("pearson_p", r.map(|c| c.p));
        answer.set("spearman_rho", rho.map(|c| c.r));
        answer.set("spearman_p", rho.map(|c| c.p));
        answer.set("linear_fit", LinearFit::new(x, y));
    }

    fn signed_rank(&self, answer: &mut Answer, test: Result<SignedRank, Unavailable>) {
        let (statistic, p) = match self.compat {
            Some(compat) => (
                and_then(&test, |t| Ok(compat.signed_rank_statistic(t))),
                and_then(&test, |t| Ok(compat.signed_rank(t))),
            ),
            None => {
                (and_then(&test, |t| Ok(t.statistic())), and_then(&test, |t| Ok(t.asymptotic())))
            }
        };
        answer.set("wilcoxon", statistic.and_then(|s| Ok(Pair(s, p?))));
        answer.set("wilcoxon_method", p.map(|p| p.method.to_string()));
        let exact = and_then(&test, |t| {
            let feasible = t.differences() <= SignedRank::EXACT_DIFFERENCES;
            if feasible { Ok(t.exact()) } else { Err(Unavailable::TooMany) }
        });
        answer.set("wilcoxon_p_exact", exact);
        answer.set("rank_biserial", and_then(&test, |t| Ok(t.rank_biserial())));
    }

    fn blocks(&self, answer: &mut Answer, blocks: &[Vec<f64>]) {
        answer.put("n", blocks.len());
        let few = blocks.first().is_some_and(|block| block.len() == 2);
        answer.set(
            "friedman",
            match self.compat {
                Some(Compat::Scipy) if few => Err(Unavailable::TooFew { needed: 3, found: 2 }),
                _ => friedman(blocks),
            },
        );
        let ranked = Nemenyi::new(blocks);
        answer.set("mean_ranks", and_then(&ranked, |r| Ok(r.mean_ranks.clone())));
        answer.set(
            "nemenyi",
            and_then(&ranked, |ranked| {
                let all = 0..ranked.mean_ranks.len();
                let p: Vec<Vec<Value>> = all
                    .clone()
                    .map(|i| all.clone().map(|j| number(ranked.p(i, j).value)).collect())
                    .collect();
                let difference = number(ranked.critical_difference(self.alpha));
                Ok(json!({ "critical_difference": difference, "p": p }))
            }),
        );
        let columns: Result<Vec<Vec<f64>>, Unavailable> = and_then(&ranked, |ranked| {
            let column = |i| blocks.iter().map(|block| block[i]).collect();
            Ok((0..ranked.mean_ranks.len()).map(column).collect())
        });
        answer.set(
            "kruskal",
            and_then(&columns, |columns| {
                kruskal_wallis(&columns.iter().map(Vec::as_slice).collect::<Vec<_>>())
            }),
        );
        self.signed_rank(answer, columns.and_then(|c| SignedRank::new(&c[0], &c[1])));
        answer.copy("wilcoxon", "wilcoxon_first_two");
    }

    fn table(&self, answer: &mut Answer, table: Result<Contingency, Unavailable>) {
        answer.set("fisher", table.map(|table| table.fisher()));
        answer.set(
            "odds_ratio",
            and_then(&table, |t| match self.compat {
                Some(compat) => compat.odds_ratio(t),
                None => t.odds_ratio(),
            }),
        );
        let interval = and_then(&table, |t| t.odds_ratio_interval(1.0 - self.alpha));
        answer.set("odds_ratio_ci", interval);
    }
}

fn and_then<T, U>(
    value: &Result<T, Unavailable>,
    next: impl FnOnce(&T) -> Result<U, Unavailable>,
) -> Result<U, Unavailable> {
    value.as_ref().map_err(|reason| *reason).and_then(next)
}

#[derive(Default)]
struct Answer {
    fields: Map<String, Value>,
    unavailable: Map<String, Value>,
}

impl Answer {
    fn put(&mut self, name: &str, value: impl Into<Value>) {
        self.fields.insert(name.to_owned(), value.into());
    }

    fn set(&mut self, name: &str, value: Result<impl Shown, Unavailable>) {
        match value {
            Ok(value) => self.put(name, value.shown()),
            Err(reason) => {
                self.put(name, Value::Null);
                self.unavailable.insert(name.to_owned(), reason.code().into());
            }
        }
    }

    fn copy(&mut self, from: &str, to: &str) {
        self.put(to, self.fields[from].clone());
        if let Some(reason) = self.unavailable.get(from).cloned() {
            self.unavailable.insert(to.to_owned(), reason);
        }
    }

    fn finish(mut self) -> Value {
        if !self.unavailable.is_empty() {
            self.fields.insert("unavailable".to_owned(), self.unavailable.into());
        }
        self.fields.into()
    }
}

/// JSON does not have infinite numbers, and `null` means missing.
fn number(value: f64) -> Value {
    if value.is_finite() {
        value.into()
    } else if value.is_nan() {
        Value::Null
    } else {
        (if value > 0.0 { "Infinity" } else { "-Infinity" }).into()
    }
}

trait Shown {
    fn shown(self) -> Value;
}

struct Pair(f64, PValue);

impl Shown for f64 {
    fn shown(self) -> Value {
        number(self)
    }
}

impl Shown for PValue {
    fn shown(self) -> Value {
        number(self.value)
    }
}

impl Shown for Pair {
    fn shown(self) -> Value {
        vec![number(self.0), self.1.shown()].into()
    }
}

impl Shown for ChiSquare {
    fn shown(self) -> Value {
        Pair(self.statistic, self.p).shown()
    }
}

impl Shown for Interval {
    fn shown(self) -> Value {
        vec![number(self.low), number(self.high)].into()
    }
}

impl Shown for LinearFit {
    fn shown(self) -> Value {
        json!({
            "slope": number(self.slope),
            "intercept": number(self.intercept),
            "p": number(self.p.value),
            "slope_error": number(self.slope_error),
            "intercept_error": number(self.intercept_error),
        })
    }
}

impl Shown for Vec<f64> {
    fn shown(self) -> Value {
        self.into_iter().map(number).collect()
    }
}

impl Shown for String {
    fn shown(self) -> Value {
        self.into()
    }
}

impl Shown for Value {
    fn shown(self) -> Value {
        self
    }
}
