// Tests of the demo project seedling, written by hand.

const water = async function (t, times) {
    for (let i = 0; i < times; i++) {
        t.clickSprite('Can');
        await t.runForTime(1000);
    }
};
const grows = async function (t) {
    const plant = t.getSprite('Plant');
    await t.runForTime(1000);
    t.assert.equal(plant.currentCostumeName, 'seed');
    await t.runForTime(6000);
    t.assert.equal(plant.currentCostumeName, 'sprout', 'after 6 seconds the seed is a sprout');
};

const wiltsDry = async function (t) {
    const plant = t.getSprite('Plant');
    await t.runForTime(15000);
    t.assert.equal(plant.sayText, 'So dry...');
    await t.runForTime(6000);
    t.assert.equal(plant.currentCostumeName, 'wilted', 'without water the plant wilts');
};

const wiltsWet = async function (t) {
    const plant = t.getSprite('Plant');
    await t.runForSteps(2);
    await water(t, 9);
    await t.runForTime(6500);
    t.assert.equal(plant.sayText, 'Too wet!');
    t.assert.equal(plant.currentCostumeName, 'wilted', 'with too much water the plant wilts');
    await t.runForTime(4000);
    t.assert.not(t.isProjectRunning(), 'everything stops');
};

const blooms = async function (t) {
    const plant = t.getSprite('Plant');
    await t.runForSteps(2);
    await water(t, 3);
    await t.runUntil(() => plant.currentCostumeName === 'bud', 20000);
    t.assert.equal(plant.currentCostumeName, 'bud');
    await t.runUntil(() => plant.currentCostumeName === 'bloom', 60000);
    t.assert.equal(plant.currentCostumeName, 'bloom', 'with enough water the plant blooms');
    await t.runForTime(3000);
    t.assert.ok(t.getSprite('Bee').visible, 'the bee comes');
};

module.exports = [
    {test: grows, name: 'the seed becomes a sprout'},
    {test: wiltsDry, name: 'a dry plant wilts'},
    {test: wiltsWet, name: 'a wet plant wilts'},
    {test: blooms, name: 'a plant that is watered blooms'},
];
