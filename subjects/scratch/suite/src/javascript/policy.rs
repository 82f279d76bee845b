//! Policies as JavaScript for the original Whisker: a loop in which rules are `if` and `else if`
//! statements.

use std::fmt::Write as _;

use super::{literal, number};
use crate::format::{
    Axis, Comparison, Edge, Follow, Guard, Mouse, Press, Proposal, SuiteEvent, SuitePolicy,
};

/// Functions that the loops call. They read sprites only through the accessors of Whisker.
const HELPERS: &str = r#"
// JavaScript code of policies, which observes sprites and their clones and makes decisions.
// `watchEnd` returns a function that tells whether the project has run and then ended.
const watchEnd = t => {
  let [running, ended] = [false, false];
  t.addCallback(() => {
    const now = t.isProjectRunning();
    ended = ended || running && !now;
    running = now;
  }, true, 'end of the project');
  return () => ended;
};
const policyState = () => ({ready: [], answered: 0, places: new Map(), earlier: new Map(), elapsed: 0});
const shown = (t, name) => {
  const sprite = t.getSprite(name);
  return sprite ? [sprite, ...sprite.getClones()].filter(each => each.visible) : [];
};
const look = (t, policy, names) => {
  policy.earlier = policy.places;
  policy.places = new Map(names.map(name => [name,
    shown(t, name).map(sprite => ({sprite, x: sprite.x, y: sprite.y, direction: sprite.direction}))]));
};
const squared = (a, b) => (a.x - b.x) ** 2 + (a.y - b.y) ** 2;
const nearest = (place, others) => others.filter(other => other.sprite !== place.sprite)
  .reduce((best, other) => best && squared(place, best) <= squared(place, other) ? best : other, undefined);
const pair = (policy, name, to) => {
  const own = policy.places.get(name)[0];
  const other = own && nearest(own, policy.places.get(to));
  return other ? [own, other] : undefined;
};
const distanceTo = (policy, name, to, axis, aim, lead) => {
  const both = pair(policy, name, to);
  if (!both) return NaN;
  const [own, other] = both;
  let [x, y] = [other.x, other.y];
  const before = lead > 0 && policy.elapsed > 0 &&
    (policy.earlier.get(to) || []).find(each => each.sprite === other.sprite);
  if (before) {
    x += (other.x - before.x) * (lead / policy.elapsed);
    y += (other.y - before.y) * (lead / policy.elapsed);
  }
  if (axis === 'x') return x - own.x + aim;
  if (axis === 'y') return y - own.y + aim;
  const wanted = Math.atan2(x - own.x, y - own.y) * 180 / Math.PI + aim;
  const turned = (wanted - own.direction + 540) % 360;
  return (turned < 0 ? turned + 360 : turned) - 180;
};
const wave = steps => {
  const at = steps % 300 * 4 / 300;
  return at < 1 ? at : at < 3 ? 2 - at : at - 4;
};
const isNear = (policy, name, to, within) => {
  const both = pair(policy, name, to);
  return both !== undefined && squared(...both) <= within * within;
};
const mouseTarget = (t, policy, name, dx, dy) => {
  const mouse = t.getMousePos();
  const place = nearest(mouse, policy.places.get(name));
  if (!place) return undefined;
  const x = Math.min(240, Math.max(-240, Math.trunc(place.x + dx)));
  const y = Math.min(180, Math.max(-180, Math.trunc(place.y + dy)));
  return x === mouse.x && y === mouse.y ? undefined : [x, y];
};
const compared = (value, than) => {
  const [a, b] = [value, than].map(each => String(each).trim() === '' ? NaN : Number(each));
  if (!isNaN(a) && !isNaN(b)) return Math.sign(a - b);
  const [s, u] = [value, than].map(each => String(each).toLowerCase());
  return s < u ? -1 : s > u ? 1 : 0;
};
const pressKey = async (t, key, steps) => {
  t.keyPress(key, steps);
  await t.runForSteps(steps);
};
"#;

pub(super) fn write_helpers(js: &mut String) {
    js.push_str(HELPERS);
}

impl SuitePolicy {
    pub(super) fn write(&self, js: &mut String) {
        let names: Vec<String> = self.names().iter().map(|name| literal(name)).collect();
        // Writing to a string does not fail.
        let _ = writeln!(js, "  const policy = policyState();");
        let _ = writeln!(js, "  const end = t.getTotalStepsExecuted() + {};", self.most);
        let _ = writeln!(
            js,
            "  for (let now; (now = t.getTotalStepsExecuted()) < end && !ended();) {{"
        );
        if self.rules.iter().any(|rule| rule.proposal.clicks_clones()) {
            // Whisker would release the button only after the next input.
            js.push_str(
                "    if (policy.clicked) {\n      t.clearInputs();\n      t.mouseDown(false);\n",
            );
            js.push_str("      policy.clicked = false;\n    }\n");
        }
        let _ = writeln!(js, "    look(t, policy, [{}]);", names.join(", "));
        for (place, rule) in self.rules.iter().enumerate() {
            match &rule.proposal {
                Proposal::Follow(Follow { follow, to, axis, aim, sway, lead, .. }) => {
                    let mut aim = number(*aim);
                    if *sway != 0.0 {
                        let began = format!("now - end + {}", self.most);
                        aim = format!("{aim} + {} * wave({began})", number(*sway));
                    }
                    let (follow, to, axis) = (literal(follow), literal(to), axis.name());
                    let _ = writeln!(
                        js,
                        "    const value{place} = distanceTo(policy, {follow}, {to}, '{axis}', {aim}, {lead});"
                    );
                }
                Proposal::Mouse(Mouse { mouse, dx, dy }) => {
                    let _ = writeln!(
                        js,
                        "    const value{place} = mouseTarget(t, policy, {}, {}, {});",
                        literal(mouse),
                        number(*dx),
                        number(*dy)
                    );
                }
                Proposal::Edge(Edge { edge, axis, .. }) => {
                    let _ = writeln!(
                        js,
                        "    const value{place} = (policy.places.get({})[0] || {{}}).{};",
                        literal(edge),
                        axis.name()
                    );
                }
                Proposal::Press(_) => {}
            }
        }
        js.push_str("    ");
        if !self.answers.is_empty() {
            let answers: Vec<String> = self.answers.iter().map(|text| literal(text)).collect();
            let _ = writeln!(
                js,
                "if (t.isQuestionAsked()) {{\n      const answers = [{}];\n      \
                 t.typeText(answers[policy.answered++ % answers.length]);\n      \
                 await t.runForSteps(1);\n    }} else ",
                answers.join(", ")
            );
            js.truncate(js.trim_end().len());
            js.push(' ');
        }
        for (place, rule) in self.rules.iter().enumerate() {
            let mut condition = rule.proposal.condition(place);
            if let Some(guard) = &rule.when {
                condition = format!("{} && {condition}", guard.condition());
            }
            let _ = writeln!(js, "if ({condition}) {{");
            rule.proposal.write(place, js);
            js.push_str("      await t.runForSteps(1);\n    } else ");
        }
        js.push_str("{\n      await t.runForSteps(1);\n    }\n");
        js.push_str("    policy.elapsed = t.getTotalStepsExecuted() - now;\n  }\n");
    }

    fn names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for rule in &self.rules {
            let of_rule: [Option<&String>; 2] = match &rule.proposal {
                Proposal::Follow(Follow { follow, to, .. }) => [Some(follow), Some(to)],
                Proposal::Mouse(Mouse { mouse, .. }) => [Some(mouse), None],
                Proposal::Edge(Edge { edge, .. }) => [Some(edge), None],
                Proposal::Press(Press { press, near, .. }) => match (press, near) {
                    (_, Some(near)) => [Some(&near.sprite), Some(&near.to)],
                    _ => [None, None],
                },
            };
            for name in of_rule.into_iter().flatten() {
                if !names.contains(&name.as_str()) {
                    names.push(name);
                }
            }
        }
        names
    }
}

impl Axis {
    fn name(self) -> &'static str {
        match self {
            Self::X => "x",
            Self::Y => "y",
            Self::Heading => "heading",
        }
    }
}

impl Proposal {
    fn clicks_clones(&self) -> bool {
        let Self::Press(Press { press, .. }) = self else { return false };
        matches!(press, SuiteEvent::ClickClone { .. })
    }

    fn condition(&self, place: usize) -> String {
        match self {
            Self::Follow(Follow { dead, flee: true, .. }) => {
                format!("Math.abs(value{place}) < {}", number(*dead))
            }
            Self::Follow(Follow { dead, .. }) => {
                format!("Math.abs(value{place}) > {}", number(*dead))
            }
            Self::Mouse(_) => format!("value{place}"),
            Self::Edge(Edge { axis, margin, .. }) => {
                let end = if *axis == Axis::Y { 180.0 } else { 240.0 };
                format!("Math.abs(value{place}) > {}", number(end - margin))
            }
            Self::Press(Press { press, near, .. }) => {
                let mut condition = format!("now >= (policy.ready[{place}] || 0)");
                if let Some(near) = near {
                    let _ = write!(
                        condition,
                        " && isNear(policy, {}, {}, {})",
                        literal(&near.sprite),
                        literal(&near.to),
                        number(near.within)
                    );
                }
                if let SuiteEvent::ClickClone { sprite, .. } = press {
                    let name = literal(sprite);
                    let _ =
                        write!(condition, " && shown(t, {name}).some(each => !each.isOriginal)");
                }
                condition
            }
        }
    }

    fn write(&self, place: usize, js: &mut String) {
        let steer = |keys: &[String; 2], raise: &str, steps: u32| {
            let [up, down] =
                keys.each_ref().map(|key| literal(if key == "any" { "space" } else { key }));
            format!("      await pressKey(t, {raise} ? {up} : {down}, {steps});\n")
        };
        match self {
            Self::Follow(Follow { flee, keys, steps, .. }) => {
                let raise = format!("value{place} {} 0", if *flee { "<=" } else { ">" });
                js.push_str(&steer(keys, &raise, *steps));
            }
            Self::Edge(Edge { keys, steps, .. }) => {
                js.push_str(&steer(keys, &format!("value{place} < 0"), *steps));
            }
            Self::Mouse(_) => {
                let _ = writeln!(js, "      t.mouseMove(...value{place});");
            }
            Self::Press(Press { press, every, .. }) => {
                let _ = writeln!(js, "      policy.ready[{place}] = now + {every};");
                match press {
                    SuiteEvent::MouseDown { .. } => {
                        js.push_str("      t.mouseDown(!t.isMouseDown());\n");
                    }
                    SuiteEvent::ClickClone { sprite, .. } => {
                        let name = literal(sprite);
                        let _ = writeln!(
                            js,
                            "      const clone{place} = shown(t, {name}).find(each => !each.isOriginal);\n      \
                             t.clickCloneByCoords(clone{place}.x, clone{place}.y, 1);\n      \
                             policy.clicked = true;"
                        );
                    }
                    event => {
                        let mut text = String::new();
                        event.write(&mut text);
                        for line in text.lines() {
                            let _ = writeln!(js, "      {}", line.trim_start());
                        }
                    }
                }
            }
        }
    }
}

impl Guard {
    fn condition(&self) -> String {
        let sprite = |name: &str| format!("t.getSprite({})", literal(name));
        match self {
            Self::Visible { sprite: name, is } => format!("{}.visible === {is}", sprite(name)),
            Self::Costume { sprite: name, is } => {
                format!("{}.currentCostume === {is}", sprite(name))
            }
            Self::Place { sprite: name, axis, is, than } => {
                let axis = if *axis == Axis::Heading { "direction" } else { axis.name() };
                let (value, than) = (format!("{}.{axis}", sprite(name)), number(*than));
                match is {
                    Comparison::Below => format!("{value} < {than}"),
                    Comparison::Equal => format!("Math.abs({value} - {than}) < 0.5"),
                    Comparison::Above => format!("{value} > {than}"),
                }
            }
            Self::Variable { sprite: owner, variable, is, than } => {
                let (object, own) = match owner {
                    Some(name) => (sprite(name), ""),
                    None => ("t.getStage()".to_owned(), ", false"),
                };
                let sign = match is {
                    Comparison::Below => "< 0",
                    Comparison::Equal => "=== 0",
                    Comparison::Above => "> 0",
                };
                let (variable, than) = (literal(variable), literal(than));
                format!("compared({object}.getVariable({variable}{own}).value, {than}) {sign}")
            }
        }
    }
}
