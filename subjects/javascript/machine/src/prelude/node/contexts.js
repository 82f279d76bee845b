// The module `async_hooks`: stores that are passed on through timers, ticks, microtasks and
// functions passed to `then`. After an `await`, the stores are unknown, and a test that asks for a
// store has no result.
const asyncHooksModule = () => {
    let isUsed = false;
    const {UNKNOWN, withStores, inStores} = contexts;
    const wrapFirst = (owner, name) => {
        const native = owner[name];
        const wrapped = {[name]: (f, ...values) => apply(native, owner, [typeof f === 'function' ? withStores(f) : f, ...values])}[name];
        defineProperty(owner, name, {value: wrapped, writable: true, enumerable: false, configurable: true});
    };
    ['setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask'].forEach(name => wrapFirst(globalThis, name));
    const nativeThen = Promise.prototype.then;
    defineProperty(Promise.prototype, 'then', {value: {then(...values) {
        return apply(nativeThen, this, values.map(each => typeof each === 'function' ? withStores(each) : each));
    }}.then, writable: true, enumerable: false, configurable: true});
    /** The current stores as pairs, which UNKNOWN precedes if there may be other stores. */
    const known = () => {
        const stores = contexts.get();
        return stores === UNKNOWN ? [UNKNOWN] : stores ?? [];
    };
    const without = storage => known().filter(each => each === UNKNOWN || each[0] !== storage);
    const changed = (storage, store) => [...without(storage), [storage, store]];
    class AsyncLocalStorage {
        static bind(f) {
            return AsyncResource.bind(f);
        }
        static snapshot() {
            return AsyncLocalStorage.bind((f, ...values) => f(...values));
        }
        disable() {
            contexts.set([...without(this), [this, undefined]]);
        }
        enterWith(store) {
            isUsed = true;
            contexts.set(changed(this, store));
        }
        run(store, f, ...values) {
            isUsed = true;
            return inStores(changed(this, store), () => apply(f, null, values));
        }
        exit(f, ...values) {
            return inStores([...without(this), [this, undefined]], () => apply(f, null, values));
        }
        getStore() {
            const found = known().find(each => each !== UNKNOWN && each[0] === this);
            if (found === undefined && isUsed && known().includes(UNKNOWN)) {
                unavailable('AsyncLocalStorage after await').call();
            }
            return found?.[1];
        }
    }
    class AsyncResource {
        #stores = contexts.get();
        constructor(type) {
            checkArgument(type, 'type', 'string');
        }
        runInAsyncScope(f, receiver, ...values) {
            return inStores(this.#stores, () => apply(f, receiver, values));
        }
        emitDestroy() {
            return this;
        }
        asyncId() {
            return unavailable('async_hooks.AsyncResource.asyncId').call();
        }
        triggerAsyncId() {
            return unavailable('async_hooks.AsyncResource.triggerAsyncId').call();
        }
        bind(f, receiver) {
            checkArgument(f, 'fn', 'function');
            const resource = this;
            const bound = receiver === undefined ? function (...values) {
                return resource.runInAsyncScope(f, this, ...values);
            } : (...values) => resource.runInAsyncScope(f, receiver, ...values);
            return defineProperty(bound, 'length', {value: f.length, configurable: true, enumerable: false, writable: false});
        }
        static bind(f, type, receiver) {
            return new AsyncResource(type || f.name || 'bound-anonymous-fn').bind(f, receiver);
        }
    }
    const missing = {};
    for (const name of ['createHook', 'executionAsyncId', 'triggerAsyncId', 'executionAsyncResource', 'asyncWrapProviders']) {
        missing[name] = unavailable('async_hooks.' + name);
    }
    return {AsyncLocalStorage, ...missing, AsyncResource};
};
