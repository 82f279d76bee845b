//! Analysis of the time until an event that might not happen during the observation.

use statrs::distribution::{ChiSquared, ContinuousCDF};

use super::Unavailable;

/// An observation: a time, and whether the event happened at this time. If not, the observation
/// ended at this time before the event (it was *censored*).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Observation {
    /// Time from the beginning, which must be finite.
    pub time: f64,
    /// Whether the event happened.
    pub event: bool,
}

/// The Kaplan-Meier estimator (1958): the share of observations without the event so far, as a step
/// function of time.
#[derive(Clone, Debug, PartialEq)]
pub struct Survival {
    /// The times of the steps, ascending, each with the share from this time on.
    pub steps: Vec<(f64, f64)>,
    /// Number of observations.
    pub observations: usize,
    /// Number of observations with the event.
    pub events: usize,
}

impl Survival {
    /// Computes the estimate from observations.
    ///
    /// # Errors
    /// [`Unavailable`] if there are no observations, or if a time is NaN or infinite.
    pub fn of(observations: &[Observation]) -> Result<Survival, Unavailable> {
        let sorted = sorted(observations)?;
        let mut steps = Vec::new();
        let (mut share, mut at_risk) = (1.0, sorted.len());
        for same in sorted.chunk_by(|a, b| a.time == b.time) {
            let events = same.iter().filter(|observation| observation.event).count();
            if events > 0 {
                share *= (at_risk - events) as f64 / at_risk as f64;
                steps.push((same[0].time, share));
            }
            at_risk -= same.len();
        }
        let events = sorted.iter().filter(|observation| observation.event).count();
        Ok(Survival { steps, observations: sorted.len(), events })
    }

    /// The first time at which the estimated share of observations with the event reaches `share`,
    /// in 0..=1; `None` if there is no such time.
    pub fn quantile(&self, share: f64) -> Option<f64> {
        // The tolerance allows for rounding errors in products of shares.
        let reached = |step: &&(f64, f64)| step.1 <= 1.0 - share + 1e-12;
        self.steps.iter().find(reached).map(|step| step.0)
    }
}

/// The log-rank test (Mantel, 1966) of two samples: whether the event happens at the same times.
/// Returns the statistic and its p-value from the chi-squared distribution with one degree of
/// freedom.
///
/// # Errors
/// [`Unavailable`] if the statistic does not exist for these samples.
pub fn log_rank(a: &[Observation], b: &[Observation]) -> Result<(f64, f64), Unavailable> {
    let (a, b) = (sorted(a)?, sorted(b)?);
    let mut times: Vec<f64> =
        a.iter().chain(&b).filter(|observation| observation.event).map(|o| o.time).collect();
    times.sort_by(f64::total_cmp);
    times.dedup();
    let (mut difference, mut variance) = (0.0, 0.0);
    for time in times {
        let at = |sample: &[Observation]| {
            let first = sample.partition_point(|observation| observation.time < time);
            let same = sample[first..].iter().take_while(|observation| observation.time == time);
            let events = same.filter(|observation| observation.event).count();
            ((sample.len() - first) as f64, events as f64)
        };
        let ((risk_a, events_a), (risk_b, events_b)) = (at(&a), at(&b));
        let (risk, events) = (risk_a + risk_b, events_a + events_b);
        difference += events_a - events * risk_a / risk;
        if risk > 1.0 {
            variance += events * (risk_a / risk) * (risk_b / risk) * (risk - events) / (risk - 1.0);
        }
    }
    if variance <= 0.0 {
        return Err(Unavailable::Constant);
    }
    let statistic = difference * difference / variance;
    let p = ChiSquared::new(1.0).map_or(1.0, |distribution| distribution.sf(statistic));
    Ok((statistic, p))
}

fn sorted(observations: &[Observation]) -> Result<Vec<Observation>, Unavailable> {
    if observations.is_empty() {
        return Err(Unavailable::Empty);
    }
    super::finite(&observations.iter().map(|o| o.time).collect::<Vec<_>>())?;
    let mut sorted = observations.to_vec();
    sorted.sort_by(|a, b| a.time.total_cmp(&b.time));
    Ok(sorted)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn observed(events: &[f64], censored: &[f64]) -> Vec<Observation> {
        let with = |event| move |time: &f64| Observation { time: *time, event };
        events.iter().map(with(true)).chain(censored.iter().map(with(false))).collect()
    }

    /// The data of Freireich et al. (1963) on leukaemia, which many textbooks use as an example.
    fn remission() -> (Vec<Observation>, Vec<Observation>) {
        let treated = observed(
            &[6.0, 6.0, 6.0, 7.0, 10.0, 13.0, 16.0, 22.0, 23.0],
            &[6.0, 9.0, 10.0, 11.0, 17.0, 19.0, 20.0, 25.0, 32.0, 32.0, 34.0, 35.0],
        );
        let control = observed(
            &[
                1.0, 1.0, 2.0, 2.0, 3.0, 4.0, 4.0, 5.0, 5.0, 8.0, 8.0, 8.0, 8.0, 11.0, 11.0, 12.0,
                12.0, 15.0, 17.0, 22.0, 23.0,
            ],
            &[],
        );
        (treated, control)
    }

    #[test]
    fn the_textbook_example_has_its_published_values() {
        let (treated, control) = remission();
        let survival = Survival::of(&treated).unwrap();
        assert_eq!((survival.observations, survival.events), (21, 9));
        let published = [0.8571, 0.8067, 0.7529, 0.6902, 0.6275, 0.5378, 0.4482];
        for ((_, share), published) in survival.steps.iter().zip(published) {
            assert!((share - published).abs() < 5e-5, "{share} {published}");
        }
        assert_eq!(survival.quantile(0.5), Some(23.0));
        assert_eq!(Survival::of(&control).unwrap().quantile(0.5), Some(8.0));
        assert_eq!(survival.quantile(0.75), None, "too few had the event");
        // The results of R (survival::survdiff) are chi-squared 16.8 and p 4e-05.
        let (statistic, p) = log_rank(&treated, &control).unwrap();
        assert!((statistic - 16.79).abs() < 0.01 && (p - 4.17e-5).abs() < 1e-6, "{statistic} {p}");
    }

    #[test]
    fn samples_without_events_have_no_test_and_no_median() {
        let none = observed(&[], &[5.0, 5.0]);
        let survival = Survival::of(&none).unwrap();
        assert!(survival.steps.is_empty() && survival.quantile(0.5).is_none());
        assert_eq!(log_rank(&none, &none), Err(Unavailable::Constant));
        assert_eq!(Survival::of(&[]), Err(Unavailable::Empty));
        let same = observed(&[1.0, 2.0], &[3.0]);
        assert!(log_rank(&same, &same).unwrap().1 > 0.99);
    }
}
