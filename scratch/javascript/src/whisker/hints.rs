//! Hints for the usual mistakes. They never change a status.

use catherd_javascript_engine::Thrown;

/// Names that some suites expect, and what to write instead.
const REPLACED: [(&str, &str, &str); 8] = [
    ("t.assert", "notEqual", "t.assert.not(a == b)"),
    ("t.assert", "isNull", "t.assert.strictEqual(a, null)"),
    ("t.assert", "notStrictEqual", "t.assert.not(a === b)"),
    ("t.assert", "contains", "t.assert.ok(text.includes(part))"),
    ("t.assert", "that", "t.assert.ok(condition)"),
    ("t", "sleep", "await t.runForTime(ms)"),
    ("t", "click", "t.clickSprite(name)"),
    ("costume", "index", "sprite.currentCostume"),
];

/// Members that suites may mean.
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

/// Hints for an error: members that do not exist, and sprites that are missing.
pub(crate) fn of(
    thrown: &Thrown,
    missing: &[(String, String)],
    unknown_sprites: &[String],
    sprites: &[String],
) -> Vec<String> {
    let mut hints = Vec::new();
    if !["TypeError", "ReferenceError"].contains(&thrown.name.as_str()) {
        return hints;
    }
    if let Some((owner, name)) = missing.last() {
        let replaced = REPLACED.iter().find(|(of, old, _)| of == owner && old == name);
        hints.push(match (replaced, nearest(name)) {
            (Some((_, _, new)), _) => format!("`{owner}.{name}` does not exist; write `{new}`"),
            (None, Some(near)) => format!("`{owner}.{name}` does not exist; is it `{near}`?"),
            (None, None) => format!("`{owner}.{name}` does not exist"),
        });
    }
    if let Some(name) = unknown_sprites.last() {
        hints.push(format!("no sprite is named `{name}`; sprites: {}", sprites.join(", ")));
    }
    hints
}

/// The member whose name is most similar; `None` if none is.
fn nearest(name: &str) -> Option<&'static str> {
    let distances = MEMBERS.split_whitespace().map(|member| (distance(name, member), member));
    distances
        .min_by_key(|(distance, _)| *distance)
        .filter(|(d, _)| *d <= 3 && *d < name.len())
        .map(|(_, m)| m)
}

/// Number of letters to insert, remove or replace.
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
