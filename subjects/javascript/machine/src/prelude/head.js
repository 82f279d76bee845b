// Copies of the built-in functions that the prelude needs, because programs may change the built-in objects.
const {Map, Set, WeakMap, WeakSet, Promise, Date, RegExp, Error, RangeError, TypeError, Number, String, Symbol, Proxy,
    Function, Object, Array, ArrayBuffer, DataView, BigInt, Uint8Array, Uint32Array, Int32Array, Float64Array, queueMicrotask} = globalThis;
const {apply, ownKeys, getPrototypeOf, construct} = globalThis.Reflect;
const {Math} = globalThis;
const {abs} = Math;
const {keys, getOwnPropertyDescriptor: getOwn, getOwnPropertySymbols: symbolsOf, defineProperty, create, assign} = Object;
const {isArray} = Array;
const {parse, stringify} = globalThis.JSON;
const uncurry = f => Function.prototype.call.bind(f);
const FunctionPrototype = Function.prototype;
const ObjectPrototype = Object.prototype;
const charCodeAt = uncurry(String.prototype.charCodeAt);
const slice = uncurry(String.prototype.slice);
const toWellFormed = uncurry(String.prototype.toWellFormed);
const push = uncurry(Array.prototype.push);
const fill = uncurry(getPrototypeOf(Uint32Array.prototype).fill);
const setAll = uncurry(getPrototypeOf(Uint32Array.prototype).set);
const getTime = uncurry(Date.prototype.getTime);
const regexpText = uncurry(RegExp.prototype.toString);
const weakAdd = uncurry(WeakSet.prototype.add);
const weakGet = uncurry(WeakMap.prototype.get);
const weakSet = uncurry(WeakMap.prototype.set);
const mapGet = uncurry(Map.prototype.get);
const mapSet = uncurry(Map.prototype.set);
const mapHas = uncurry(Map.prototype.has);
const mapEach = uncurry(Map.prototype.forEach);
const mapClear = uncurry(Map.prototype.clear);
const setEach = uncurry(Set.prototype.forEach);
const then = uncurry(Promise.prototype.then);
const matches = uncurry(RegExp.prototype.exec);
const functionText = uncurry(Function.prototype.toString);
const setHasOwn = uncurry(Set.prototype.has);
const weakSetHas = uncurry(WeakSet.prototype.has);
const weakHas = (set, value) => set instanceof Set ? setHasOwn(set, value) : weakSetHas(set, value);
const isWhole = text => text !== '' && matches(/^(?:0|[1-9][0-9]*)$/, text) !== null;
const builtinTag = value => value instanceof Map ? 'Map' : value instanceof Set ? 'Set' : value instanceof Date ? 'Date'
    : value instanceof RegExp ? 'RegExp' : value instanceof Promise ? 'Promise' : '';
const KINDS_OF_ERRORS = create(null);
for (const name of ['EvalError', 'RangeError', 'ReferenceError', 'SyntaxError', 'TypeError', 'URIError']) {
    KINDS_OF_ERRORS[name] = globalThis[name];
}
/** Functions that return the primitive value of an object such as `new Number(1)`, and throw for other values. */
const UNBOXING = [Number, String, globalThis.Boolean, BigInt, Symbol].map(each => uncurry(each.prototype.valueOf));
