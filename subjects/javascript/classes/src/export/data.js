// Converts a value to data: arrays, plain objects and instances by their own enumerable members, and
// objects that occur again by number. Getters are not called.
function data(root) {
  const seen = new Map();
  let nodes = 0;
  const see = (value, level) => {
    switch (typeof value) {
      case 'undefined': return { undefined: true };
      case 'boolean': return { boolean: value };
      case 'number': return { number: Object.is(value, -0) ? '-0' : String(value) };
      case 'string': return { string: value.toWellFormed() };
      case 'bigint': return { bigint: String(value) };
      case 'symbol': return { type: 'symbol' };
      case 'function': return { type: 'function' };
    }
    if (value === null) return { null: true };
    if (seen.has(value)) return { same_as: '#' + seen.get(value) };
    if (level > 5 || ++nodes > 200) return { type: 'object' };
    seen.set(value, nodes - 1);
    if (Array.isArray(value)) {
      const array = [];
      for (let i = 0; i < value.length && i < 200; i++) {
        const item = Object.getOwnPropertyDescriptor(value, String(i));
        array.push(item === undefined ? { hole: true } : 'value' in item ? see(item.value, level + 1) : { type: 'accessor' });
      }
      if (value.length > 200) return { type: 'array' };
      // Indices are the first keys.
      const last = Object.keys(value).at(-1);
      return last === undefined || String(last >>> 0) === last ? { array } : { array, named: true };
    }
    if (value instanceof Map) return { map: [...Map.prototype.entries.call(value)].map(([k, v]) => [see(k, level + 1), see(v, level + 1)]) };
    if (value instanceof Set) return { set: [...Set.prototype.values.call(value)].map(item => see(item, level + 1)) };
    if ((value instanceof Date || value instanceof RegExp) && Object.keys(value).length > 0) return { type: 'object' };
    if (value instanceof Date) return { date: String(Date.prototype.getTime.call(value)) };
    if (value instanceof RegExp) return { regexp: RegExp.prototype.toString.call(value) };
    if (value instanceof Promise) return { type: 'promise' };
    const isError = value instanceof Error;
    const members = Object.create(null);
    for (const name of Object.keys(value)) {
      const member = Object.getOwnPropertyDescriptor(value, name);
      const shown = isError && ['name', 'message', 'stack'].includes(name);
      if (!shown && member !== undefined && 'value' in member) members[name] = see(member.value, level + 1);
    }
    if (isError) {
      const error = { error: String(value.name), message: String(value.message) };
      return Object.keys(members).length === 0 ? error : { ...error, members };
    }
    const prototype = Object.getPrototypeOf(value);
    const own = name => Object.getOwnPropertyDescriptor(value, name);
    const maker = prototype === null || prototype === Object.prototype ? undefined
      : Object.getOwnPropertyDescriptor(prototype, 'constructor')?.value;
    const name = typeof maker === 'function' ? Object.getOwnPropertyDescriptor(maker, 'name')?.value : '';
    if (typeof name !== 'string' || name === '') {
      // What a literal with these members makes.
      const literal = Object.getOwnPropertySymbols(value).length === 0
        && ['message', 'stack', 'callee'].every(name => own(name)?.enumerable !== false)
        && Object.keys(value).every(name => 'value' in (own(name) ?? {}));
      if (literal && prototype === Object.prototype) return { object: members };
      return { object: members, prototype: literal && prototype === null ? null : 'other' };
    }
    return Object.keys(members).length === 0 ? { object: name } : { object: name, members };
  };
  return see(root, 0);
}
