// Whisker measures `loudness` at most once in the real time of a step, so a step can see the sound of the previous
// step. Here, `loudness` is the sound of the current step, or -1 without a sound, as without a microphone.
const heard = new WeakSet();
const hear = t => {
  const {runtime} = t.vm;
  if (heard.has(runtime) || !('virtualSound' in runtime)) return;
  heard.add(runtime);
  const loudness = () => (runtime.virtualSound > 0 ? runtime.virtualSound : -1);
  runtime._primitives.sensing_loudness = loudness;
  runtime._primitives.sensing_loud = () => loudness() > 10;
  runtime.targets.forEach(target => target.blocks.resetCache());
};
