
// Resets what Whisker does not reset before a test: the orders of drawing and execution, rotation styles, the
// answer, and the appearance of sprites. Then clicks the flag again. Random numbers are skipped, because clones
// would otherwise get the ids of sprites, which are drawn with the same seed. The count of clones is corrected,
// because the machine counts each sprite of a closed project as a deleted clone, which would allow later projects
// more than 300 clones.
let loaded;
const start = t => {
  const {runtime} = t.vm;
  if (!('renderer' in runtime) || !runtime.renderer) return;
  for (let i = 0; i < 100000; i++) Math.random();
  if (!loaded || !loaded.order.every(({target}) => runtime.targets.includes(target))) {
    const place = target => target.getLayerOrder();
    const sprites = runtime.targets.filter(target => target.isOriginal && !target.isStage);
    loaded = {
      executed: runtime.executableTargets.slice(),
      order: sprites.sort((a, b) => place(a) - place(b)).map(target => ({target, style: target.rotationStyle})),
    };
  }
  for (const {target, style} of loaded.order) {
    target.goToFront();
    target.setRotationStyle(style);
    target.updateAllDrawableProperties();
  }
  runtime.getTargetForStage().updateAllDrawableProperties();
  runtime.executableTargets = loaded.executed.slice();
  runtime._cloneCounter = runtime.targets.filter(target => !target.isOriginal).length;
  t.typeText('');
  countSteps(runtime);
  t.greenFlag();
};
// Music blocks and the clock of `when timer >` measure real time, which corresponds to a different number of
// steps in each execution and at each acceleration. If the machine counts its steps, both are changed to measure
// steps of 1/30 s.
const counting = new WeakSet();
const countSteps = runtime => {
  if (counting.has(runtime) || !Number.isFinite(runtime.stepsExecuted)) return;
  counting.add(runtime);
  runtime.updateCurrentMSecs = () => { runtime.currentMSecs = runtime.stepsExecuted * runtime.currentStepTime; };
  runtime.updateCurrentMSecs();
  const now = () => runtime.stepsExecuted * 1000;
  for (const opcode of ['playDrumForBeats', 'midiPlayDrumForBeats', 'restForBeats', 'playNoteForBeats']) {
    const name = 'music_' + opcode;
    const block = runtime._primitives[name];
    if (!block) continue;
    runtime._primitives[name] = (args, util) => {
      const result = block(args, util);
      const {timer} = util.stackFrame;
      if (timer && timer.nowObj.now !== now) {
        timer.nowObj = {now};
        timer.start();
        util.stackFrame.duration = util.stackFrame.duration * 1000 / (1000 / 30);
      }
      return result;
    };
  }
  runtime.targets.forEach(target => target.blocks.resetCache());
};
// Finds a sprite (`clone` is 0) or one of its clones, which are numbered from 1 in the order of their creation.
const find = (t, name, clone) => {
  const sprite = t.getSprite(name);
  return sprite && clone > 0 ? sprite.getClones()[clone - 1] : sprite;
};
const see = (t, name, clone = 0) => {
  const object = find(t, name, clone);
  t.assert.ok(object !== undefined, 'Expected ' + (clone > 0 ? 'clone ' + clone + ' of ' : '') + name);
  return object;
};
const drag = (t, name, clone, x, y) => {
  const object = find(t, name, clone);
  if (object) object.getScratchTarget().setXY(x, y, true, true);
};
const click = (t, name, clone) => {
  const object = find(t, name, clone);
  if (object) t.clickClone(object, 1);
};
