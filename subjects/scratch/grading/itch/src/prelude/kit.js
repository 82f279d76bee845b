// Values that the scripts of the prelude share. This script is evaluated first.
(function (host, options) {
    'use strict';
    const {defineProperty} = Reflect;
    const stringify = JSON.stringify;

    const define = (object, name, value) =>
        defineProperty(object, name, {value, writable: true, enumerable: false, configurable: true}) && object;
    /** An error that ends the judgement after a test that must not fail. */
    class FatalErrorException extends Error {
        constructor() {
            super('a fatal test failed');
            defineProperty(this, 'type', {value: 'FatalErrorException', enumerable: true});
        }
    }
    /**
     * Tells the host when a member that does not exist is read, for the message of an error.
     * The value stays undefined, because plans ask whether a member exists.
     */
    const members = (object, owner) => Object.setPrototypeOf(object, new Proxy(Object.prototype, {
        get(target, name, receiver) {
            if (typeof name === 'string' && !(name in target) && name !== 'then' && name !== 'toJSON') {
                host.missing(`${owner}.${name.toWellFormed()}`);
            }
            return Reflect.get(target, name, receiver);
        },
    }));
    return {
        host, options, members, define, defineProperty, stringify, FatalErrorException,
        strict: options.strict, NativeString: String, NativeMap: Map, NativeSet: Set,
        NativePromise: Promise, setTimeout: globalThis.setTimeout, clearTimeout: globalThis.clearTimeout,
        random: Math.random, warn: console.warn,
    };
})
