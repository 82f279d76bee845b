// The names that streams take from the prelude.
const {
    Set, WeakMap, Promise, RegExp, String, Error, RangeError, TypeError, Number, Symbol, Object, ArrayBuffer, Uint8Array, Math,
    apply, ownKeys, keys, defineProperty, charCodeAt, toWellFormed, stringify, contexts, create, assign, isArray, slice, push, then, parse, weakGet, weakSet,
    coded, checkArgument, received, inspect, unavailable, stop, builtinModule, FunctionPrototype, outOfRange, bytesOf, targets, host} = prelude;
