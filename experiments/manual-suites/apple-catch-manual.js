// Tests of the demo project apple-catch, written by hand.

/** Moves the basket below the lowest apple in every step. */
const follow = t => {
    t.addCallback(() => {
        const basket = t.getSprite('Basket');
        const apples = t.getSprite('Apple').getClones().filter(apple => apple.visible);
        const lowest = apples.sort((a, b) => a.y - b.y)[0];
        t.resetKeyboard();
        if (lowest && Math.abs(lowest.x - basket.x) > 8) {
            t.keyPress(lowest.x < basket.x ? 'left arrow' : 'right arrow', 1);
        }
    });
};

const starts = async function (t) {
    await t.runForSteps(2);
    t.assert.equal(t.getStage().getVariable('score').value, '0', 'the score begins at 0');
    t.assert.equal(t.getStage().getVariable('lives').value, '3', 'there are three lives');
};

const basketMoves = async function (t) {
    await t.runForSteps(2);
    const basket = t.getSprite('Basket');
    const before = basket.x;
    t.keyPress('right arrow', 5);
    await t.runForSteps(6);
    t.assert.greater(basket.x, before, 'the right arrow moves the basket to the right');
    const right = basket.x;
    t.keyPress('left arrow', 10);
    await t.runForSteps(11);
    t.assert.less(basket.x, right, 'the left arrow moves the basket to the left');
    t.assert.equal(basket.y, basket.old.y, 'the basket keeps its height');
};

const applesFall = async function (t) {
    await t.runUntil(() => t.getSprite('Apple').getCloneCount() > 0, 5000);
    const apple = t.getSprite('Apple').getClones()[0];
    await t.runForSteps(3);
    const before = apple.y;
    await t.runForSteps(3);
    t.assert.equal(apple.y, before - 15, 'an apple falls by 5 per step');
};

const missedAppleCosts = async function (t) {
    const lives = t.getStage().getVariable('lives');
    await t.runUntil(() => lives.value === '2', 20000);
    t.assert.equal(lives.value, '2', 'an apple that is not caught costs a life');
};

const caughtAppleCounts = async function (t) {
    follow(t);
    const score = t.getStage().getVariable('score');
    await t.runUntil(() => Number(score.value) > 0, 20000);
    t.assert.equal(score.value, '1', 'an apple that is caught counts');
};

const gameEnds = async function (t) {
    const farmer = t.getSprite('Farmer');
    await t.runUntil(() => t.getStage().getVariable('lives').value === '0', 60000);
    await t.runForTime(2000);
    t.assert.isNotEmpty(farmer.sayText || '', 'the farmer says that the game is over');
    t.assert.equal(t.getSprite('Apple').getCloneCount(), 0, 'no apple falls any more');
};

module.exports = [
    {test: starts, name: 'the game begins with 0 points and 3 lives'},
    {test: basketMoves, name: 'arrow keys move the basket'},
    {test: applesFall, name: 'apples fall'},
    {test: missedAppleCosts, name: 'a missed apple costs a life'},
    {test: caughtAppleCounts, name: 'a caught apple counts'},
    {test: gameEnds, name: 'without lives the game is over'},
];
