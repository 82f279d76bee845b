//! Hints on frequent mistakes in suites. Hints never change a status.

use catherd_javascript_engine::Thrown;
use serde_json::{Map, Value};

/// Names that some suites expect, with replacements: object, member, replacement code.
const REPLACED: [(&str, &str, &str); 19] = [
    ("t.assert", "notEqual", "t.assert.not(a == b)"),
    ("t.assert", "isNull", "t.assert.strictEqual(a, null)"),
    ("t.assert", "notStrictEqual", "t.assert.not(a === b)"),
    ("t.assert", "contains", "t.assert.ok(text.includes(part))"),
    ("t.assert", "that", "t.assert.ok(condition)"),
    ("t", "sleep", "await t.runForTime(ms)"),
    ("t", "click", "t.clickSprite(name)"),
    ("t", "pressKey", "t.keyPress(key, steps)"),
    ("t", "keyDown", "t.keyPress(key, steps)"),
    ("t", "waitFor", "await t.runUntil(condition, ms)"),
    ("t", "waitUntil", "await t.runUntil(condition, ms)"),
    ("t", "getVariable", "t.getStage().getVariable(name)"),
    ("t", "answer", "t.typeText(answer)"),
    ("sprite", "isVisible", "sprite.visible"),
    ("sprite", "isTouching", "sprite.isTouchingSprite(name)"),
    ("sprite", "getX", "sprite.x"),
    ("sprite", "getY", "sprite.y"),
    ("sprite", "costume", "sprite.currentCostumeName"),
    ("costume", "index", "sprite.currentCostume"),
];

/// Existing members, for suggestions for a misspelt name.
const MEMBERS: &str = "greenFlag end run runForTime runUntil runUntilChanges runForSteps wait \
    cancelRun isRunning isProjectRunning getTotalTimeElapsed getRunTimeElapsed \
    getTotalStepsExecuted getRunStepsExecuted getAccelerationFactor seedScratch getSprites \
    getSprite getStage getSpritesAtPoint getSpriteAtPoint getNewSprites getRotationStyle \
    getSpriteVariable setSpriteVariable getGlobalVariable setGlobalVariable setVisibility \
    onSpriteMoved onSpriteVisualChange onSayOrThink onVariableChange getStageSize getMousePos \
    isMouseDown isKeyDown getAnswer isQuestionAsked log getCoverage clickStage clickSprite \
    clickClone clickCloneByCoords dragSprite keyPress keyRelease mouseDown mouseDownForSteps \
    mouseMove typeText sendSound addInput addInputs inputImmediate removeInput clearInputs \
    resetMouse resetKeyboard addCallback removeCallback clearCallbacks addConstraint \
    removeConstraint clearConstraints onConstraintFailure assert assume ok not isTrue isFalse fail \
    equal strictEqual greater greaterOrEqual less lessOrEqual withinRange matches isEmpty \
    isNotEmpty equalDictionaries id name isOriginal isStage visible exists x y pos direction size \
    currentCostume currentCostumeName volume effects layerOrder sayText rotationStyle bounds old \
    isPointInBounds isTouchingMouse isTouchingEdge isTouchingSprite isTouchingColor \
    isColorTouchingColor getVariables getVariable getLists getList getInstances getOriginal \
    getClones getCloneCount getNewClones getCostumes getCostumeByIndex getCostumeByName \
    getCostumeCount value valueAsNumber sprite";

/// Whether an error is a `TypeError` or a `ReferenceError`, which a missing member or sprite may
/// have caused.
pub(crate) fn is_mistake(thrown: &Thrown) -> bool {
    ["TypeError", "ReferenceError"].contains(&thrown.name.as_str())
}

pub(crate) fn of(
    thrown: &Thrown,
    missing: &[(String, String)],
    unknown_sprites: &[String],
    sprites: &[String],
) -> Vec<String> {
    let mut hints = Vec::new();
    if !is_mistake(thrown) {
        return hints;
    }
    if let Some((owner, name)) = missing.last() {
        let replaced = REPLACED.iter().find(|(of, old, _)| of == owner && old == name);
        hints.push(match (replaced, nearest(name)) {
            (Some((_, _, new)), _) => format!("`{owner}.{name}` does not exist; write `{new}`"),
            (None, Some(near)) => {
                format!("`{owner}.{name}` does not exist; did you mean `{near}`?")
            }
            (None, None) => format!("`{owner}.{name}` does not exist"),
        });
    }
    if let Some(name) = unknown_sprites.last() {
        hints.push(format!("no sprite is named `{name}`; sprites: {}", sprites.join(", ")));
    }
    hints
}

/// Returns a hint if a number is compared by `===` with a string that looks the same.
pub(crate) fn comparison(details: &Map<String, Value>) -> Option<String> {
    let of = |name: &str| details.get(name);
    let same = match (of("actual")?, of("expected")?) {
        (Value::Number(number), Value::String(text))
        | (Value::String(text), Value::Number(number)) => {
            text.trim().parse() == Ok(number.as_f64()?)
        }
        _ => false,
    };
    let strict = of("operator") == Some(&Value::String("===".to_owned()));
    (same && strict).then(|| {
        "a number is compared with a string; write `t.assert.equal`, or convert both to \
         numbers with `Number(...)`"
            .to_owned()
    })
}

/// A hint for a line that reads the member `value` of a plain value.
pub(crate) fn raw_value(line: &str) -> Option<String> {
    ["getGlobalVariable", "getSpriteVariable"].into_iter().find_map(|name| {
        let (_, call) = line.split_once(name)?;
        let (_, rest) = call.trim_start().strip_prefix('(')?.split_once(')')?;
        let member = rest.trim_start().strip_prefix('.')?.trim_start().strip_prefix("value")?;
        let ends = !member.starts_with(|c: char| c.is_alphanumeric() || c == '_' || c == '$');
        ends.then(|| format!("`t.{name}(...)` returns the value itself; leave `.value` out"))
    })
}

fn nearest(name: &str) -> Option<&'static str> {
    let distances = MEMBERS.split_whitespace().map(|member| (distance(name, member), member));
    distances
        .min_by_key(|(distance, _)| *distance)
        .filter(|(d, _)| *d <= 3 && *d < name.len())
        .map(|(_, m)| m)
}

/// The edit distance: the minimum number of characters to insert, remove or replace. Of `a`, only
/// the first 64 characters are compared.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.chars().enumerate().take(64) {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, to) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(from != *to);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}
