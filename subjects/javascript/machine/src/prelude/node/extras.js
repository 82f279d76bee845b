// The names that the script for rarely used functions takes from the prelude.
const {
    Map, Set, Date, Promise, Error, RangeError, TypeError, Number, String, Symbol, Proxy, Object, Array, ArrayBuffer, DataView,
    BigInt, Uint8Array, Math, apply, ownKeys, getPrototypeOf, abs, keys, getOwn, defineProperty, create, assign, isArray,
    charCodeAt, slice, toWellFormed, push, setAll, getTime, mapGet, mapSet, mapHas, matches, KINDS_OF_ERRORS, encodeLetter,
    bytesOf, coded, checkArgument, received, inspect, CUSTOM, safely, unavailable, stop, onlyLoading, builtinModule, isTesting,
    weakSet, targets, host} = prelude;
