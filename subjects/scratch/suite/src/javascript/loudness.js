// Whisker measures `loudness` at most once in a step's length of real time, so that a step can see the sound of the
// step before. Here it sees the sound that was sent for it, and -1 without one, as without a microphone.
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
