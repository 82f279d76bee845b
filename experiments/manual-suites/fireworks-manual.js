// Tests of the demo project fireworks, written by hand.

const launch = async function (t, times) {
    for (let i = 0; i < times; i++) {
        t.keyPress('space', 2);
        await t.runForSteps(15);
    }
};

const nothingFlies = async function (t) {
    await t.runForTime(1000);
    t.assert.equal(t.getSprite('Rocket').getCloneCount(), 0, 'no rocket flies by itself');
    t.assert.not(t.getSprite('Rocket').visible, 'the first rocket is hidden');
};

const rocketRises = async function (t) {
    await t.runForSteps(2);
    await launch(t, 1);
    const [rocket] = t.getSprite('Rocket').getClones();
    t.assert.ok(rocket, 'space launches a rocket');
    t.assert.ok(rocket.visible, 'the rocket is visible');
    const before = rocket.y;
    await t.runForSteps(3);
    t.assert.greater(rocket.y, before, 'the rocket rises');
};

const rocketBursts = async function (t) {
    await t.runForSteps(2);
    await launch(t, 1);
    const sparks = () => t.getSprite('Spark').getCloneCount();
    await t.runUntil(() => sparks() > 0, 10000);
    t.assert.greater(sparks(), 0, 'a rocket bursts into sparks');
    await t.runUntil(() => sparks() === 0, 10000);
    t.assert.equal(sparks(), 0, 'sparks go out');
};

const finale = async function (t) {
    await t.runForSteps(2);
    let brightest = 0;
    t.addCallback(() => {
        brightest = Math.max(brightest, t.getStage().effects.brightness);
    }, true);
    await launch(t, 9);
    await t.runForTime(4000);
    t.assert.equal(brightest, 60, 'the sky becomes brighter by 12, five times');
    t.assert.equal(t.getStage().effects.brightness, 0, 'the sky is dark again');
};

module.exports = [
    {test: nothingFlies, name: 'nothing flies before space is pressed'},
    {test: rocketRises, name: 'space launches a rocket'},
    {test: rocketBursts, name: 'a rocket bursts'},
    {test: finale, name: 'the ninth rocket is the finale'},
];
