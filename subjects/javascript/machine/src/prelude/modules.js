// Modules. Each load evaluates modules again, so that no state remains from an earlier load.
const factories = [new Map(), new Map()];
const resolved = new Map();
let cache = new Map();
let build = 0;

/** The probes in the order of their letters; the functions of modules are made for each module. */
const PROBES = [counters, truth, comparison, chain, nullish, optionalMethod, discriminant, inCase, overflow, operation,
    converting, compound, typeAsked, truthSeen, depth, textTest, passedTo, spreadable];

const factory = path => {
    let known = mapGet(factories[build], path);
    if (known === undefined) {
        known = host.compile(path, build);
        mapSet(factories[build], path, known);
    }
    return known;
};
const resolve = (from, request) => {
    const key = from + '\0' + request;
    let path = mapGet(resolved, key);
    if (path === undefined) {
        path = host.resolve(from, String(request));
        mapSet(resolved, key, path);
    }
    return path;
};
const missing = request => {
    const error = new Error("Cannot find module '" + request + "'");
    error.code = 'MODULE_NOT_FOUND';
    return error;
};
const folderOf = path => {
    const cut = path.lastIndexOf('/');
    return cut <= 0 ? '/' : path.slice(0, cut);
};
/** The function `require` of a file. */
const requireOf = path => {
    const find = request => {
        const found = resolve(path, request);
        if (found === null) {
            throw missing(request);
        }
        return found;
    };
    const require = request => loadModule(find(request)).module.exports;
    require.resolve = request => '/subject/' + find(request);
    require.cache = {};
    return require;
};
/** The module `module`, of which only `createRequire` exists. */
const moduleModule = () => ({createRequire(from) {
    const path = matches(/^(?:file:\/\/)?\/subject\/(.+)$/, String(from));
    if (path === null) {
        return unavailable('module.createRequire')();
    }
    return requireOf(path[1]);
}});
/** The module at a path: `{module, esm}`. */
const loadModule = path => {
    const known = mapGet(cache, path);
    if (known !== undefined) {
        return known;
    }
    if (path[0] === '#') {
        const entry = {module: {exports: builtinModule(path.slice(1))}, esm: false};
        mapSet(cache, path, entry);
        return entry;
    }
    const made = factory(path);
    if (made.json !== undefined) {
        const entry = {module: {exports: parse(made.json)}, esm: false};
        mapSet(cache, path, entry);
        return entry;
    }
    const full = '/subject/' + path;
    const module = {exports: {}, id: full, filename: full, loaded: false, children: [], paths: []};
    const entry = {module, esm: made.esm};
    mapSet(cache, path, entry);
    const require = requireOf(path);
    module.require = require;
    if (made.esm) {
        const namespace = create(null);
        defineProperty(namespace, Symbol.toStringTag, {value: 'Module'});
        module.exports = namespace;
        const exporting = getters => {
            for (const name of keys(getters)) {
                defineProperty(namespace, name, {get: getters[name], enumerable: true, configurable: true});
            }
        };
        const importing = request => {
            const found = resolve(path, request);
            if (found === null) {
                throw missing(request);
            }
            const {module: other, esm} = loadModule(found);
            return esm ? other.exports : interop(other.exports);
        };
        const star = other => {
            for (const name of keys(other)) {
                if (name !== 'default' && getOwn(namespace, name) === undefined) {
                    defineProperty(namespace, name, {get: () => other[name], enumerable: true, configurable: true});
                }
            }
        };
        const meta = {url: 'file://' + full, filename: full, dirname: folderOf(full)};
        const dynamic = request => then(Promise.resolve(), () => importing(request));
        const body = apply(made.make, undefined, [...PROBES, exporting, importing, star, dynamic, meta]);
        apply(body, undefined, []);
    } else {
        const dynamic = request => then(Promise.resolve(), () => {
            const found = resolve(path, request);
            if (found === null) {
                throw missing(request);
            }
            const {module: other, esm} = loadModule(found);
            return esm ? other.exports : interop(other.exports);
        });
        const body = apply(made.make, undefined, [...PROBES, undefined, undefined, undefined, dynamic, undefined]);
        apply(body, module.exports, [module.exports, require, module, full, folderOf(full)]);
    }
    module.loaded = true;
    return entry;
};
/** The namespace of something imported that is not an ES module, such as a CommonJS file. */
const interop = exports => {
    if (typeof exports === 'function' && weakSetHas(stubs, exports)) {
        return new Proxy(create(null), {get: (_, key) => key === 'default' ? exports : exports[key], has: () => true});
    }
    const namespace = create(null);
    if (exports !== null && (typeof exports === 'object' || typeof exports === 'function')) {
        for (const name of keys(exports)) {
            if (name !== 'default') {
                defineProperty(namespace, name, {get: () => exports[name], enumerable: true, configurable: true});
            }
        }
    }
    defineProperty(namespace, 'default', {get: () => exports, enumerable: true, configurable: true});
    return namespace;
};
/** Evaluates the entry and its dependencies. Returns the exports of the entry. */
const load = infer => {
    build = infer ? 1 : 0;
    cache = new Map();
    installHost();
    return loadModule(host.entry).module.exports;
};
