'use strict';
// Functions that show a program's view of the host. Each function returns a string, which must equal the result of
// Node.js 20 (node-20.json, from `TZ=UTC node print.js`).
const util = require('util');
const S = JSON.stringify;
exports.clone1 = () => { const a = { d: new Date(5), m: new Map([[1, { x: 1 }]]), s: new Set([1, 2]), r: /a/g, n: [1, , 3], b: 10n.toString(), u: undefined }; a.self = a; const c = structuredClone(a); return S([c !== a, c.self === c, c.d.getTime(), [...c.m], [...c.s], String(c.r), c.n.length, 1 in c.n, 'u' in c]); };
exports.clone2 = () => { try { structuredClone(() => 1); } catch (e) { return S([e.name]); } };
exports.clone3 = () => { class A { constructor() { this.x = 1; } m() {} } const c = structuredClone(new A()); return S([c.constructor === Object, c.x, typeof c.m]); };
exports.clone4 = () => { const e = structuredClone(new TypeError('hi')); return S([e instanceof TypeError, e.name, e.message]); };
exports.clone5 = () => { const b = new Uint8Array([1, 2, 3]); const c = structuredClone(b); return S([c instanceof Uint8Array, [...c], c.buffer !== b.buffer]); };
exports.enc1 = () => S([...new TextEncoder().encode('aé€😀\ud800')]);
exports.dec1 = () => new TextDecoder().decode(new Uint8Array([97, 195, 169, 226, 130, 172, 240, 159, 152, 128, 255, 65]));
exports.dec3 = () => new TextDecoder().decode(new Uint8Array([0xEF, 0xBB, 0xBF, 65]));
exports.encInto = () => { const t = new Uint8Array(4); const r = new TextEncoder().encodeInto('a€€', t); return S([r, [...t]]); };
exports.order = async () => { const o = []; await new Promise((done) => { setTimeout(() => o.push('t0'), 0); setTimeout(() => { o.push('t5'); done(); }, 5); setImmediate(() => o.push('i')); process.nextTick(() => o.push('n')); Promise.resolve().then(() => o.push('p')); queueMicrotask(() => o.push('q')); o.push('s'); }); return S(o.filter((x) => x !== 'i')); };
exports.timerArgs = async () => new Promise((d) => setTimeout((a, b) => d(S([a, b])), 1, 'x', 2));
exports.util2 = () => { const u = require('node:util'); return S([u.isDeepStrictEqual({ a: [1] }, { a: [1] }), u.isDeepStrictEqual([1], ['1']), u.isDeepStrictEqual(new Map([[1, { a: 1 }]]), new Map([[1, { a: 1 }]])), u.isDeepStrictEqual(NaN, NaN), u.isDeepStrictEqual(0, -0)]); };
exports.util3 = async () => { const u = require('util'); const f = u.promisify((x, cb) => cb(null, x + 1)); const g = u.promisify((cb) => cb(new Error('no'))); return S([await f(1), await g().catch((e) => e.message)]); };
exports.util4 = () => { const u = require('util'); function A() { this.e = 1; } A.prototype.m = () => 'm'; function B() { A.call(this); } u.inherits(B, A); const b = new B(); return S([b.m(), b.e, B.super_ === A, b instanceof A]); };
exports.path1 = () => { const p = require('path'); return S([p.join('/a', '..', 'b', './c/'), p.resolve('/a', 'b', '../c'), p.basename('/x/y.txt', '.txt'), p.extname('a.b.c'), p.dirname('/a/b/c'), p.normalize('/a//b/../c/.'), p.relative('/a/b/c', '/a/d'), p.isAbsolute('a'), p.parse('/home/u/f.txt'), p.format({ dir: '/a', base: 'b' }), p.sep, p.delimiter]); };
exports.path2 = () => { const p = require('path').posix; return S([p.join(), p.join(''), p.normalize(''), p.extname('.x'), p.extname('a.'), p.basename('a/'), p.dirname('a'), p.dirname('/'), p.join('..', 'a', '..', '..'), p.relative('/a', '/a')]); };
exports.events1 = () => { const E = require('events'); const e = new E(); const o = []; e.on('x', (a) => o.push('1' + a)); e.prependListener('x', (a) => o.push('0' + a)); e.once('x', (a) => o.push('2' + a)); o.push(e.emit('x', 'a')); o.push(e.emit('x', 'b')); o.push(e.listenerCount('x'), e.emit('none')); e.removeAllListeners('x'); o.push(e.eventNames().length); return S(o); };
exports.events2 = () => { const { EventEmitter } = require('events'); const e = new EventEmitter(); try { e.emit('error', new RangeError('boom')); } catch (x) { return S([x.name, x.message]); } };
exports.events3 = () => { const E = require('events'); class M extends E {} const m = new M(); const o = []; m.on('newListener', (n) => o.push('new ' + String(n))); m.on('a', function () { o.push(this === m); }); m.emit('a'); m.off('a', () => 1); o.push(m.listenerCount('a'), m.rawListeners('a').length, E.defaultMaxListeners, m.getMaxListeners()); return S(o); };
exports.events4 = async () => { const E = require('events'); const e = new E(); setTimeout(() => e.emit('go', 1, 2), 1); return S(await E.once(e, 'go')); };
exports.assert1 = () => { const a = require('assert'); const o = []; for (const f of [() => a(0), () => a.equal(1, '1'), () => a.strictEqual(1, '1'), () => a.deepEqual({ a: 1 }, { a: '1' }), () => a.deepStrictEqual({ a: 1 }, { a: '1' }), () => a.throws(() => { throw new TypeError('x'); }, TypeError), () => a.throws(() => {}), () => a.doesNotThrow(() => {}), () => a.notStrictEqual(1, 1), () => a.fail('msg'), () => a.ok(1), () => a.match('abc', /b/), () => a.ifError(null)]) { try { f(); o.push('ok'); } catch (e) { o.push(e.name, e.code); } } return S(o); };
exports.date1 = () => S([new Date(2020, 1, 30, 25, 61).toISOString(), new Date('2020-02-30').getTime(), Date.UTC(2020, 0), new Date(0).toString(), new Date('2021-03-04T05:06').toISOString(), new Date(NaN).getTime(), new Date(8.64e15 + 1).getTime()]);
exports.date2 = () => S([new Date(0).toLocaleDateString(), new Date(0).toLocaleTimeString(), new Date(0).toLocaleString(), new Date(0).toDateString(), new Date(0).toUTCString(), new Date(0).getTimezoneOffset()]);
exports.num1 = () => S([(1234.5).toLocaleString(), (0.1 + 0.2).toFixed(10), (1e21).toString(), (255).toString(16), (0.5).toString(2), (123.456).toPrecision(4), (1e-7).toString(), (25).toExponential(), parseFloat('1e3x'), Number('0x1f'), Number(' 12 '), Number('1_0')]);
exports.math1 = () => S([Math.hypot(3, 4), Math.cbrt(27), Math.clz32(1), Math.fround(5.5), Math.imul(3, 4), Math.log10(1000), Math.log2(8), Math.sign(-3), Math.trunc(-4.7), Math.atan2(1, 1), Math.round(-0.5), Math.round(2.5), Math.max(), Math.sinh(1), Math.expm1(1e-10), Math.log1p(1e-10), Math.pow(2, 0.5), Math.exp(1), Math.sin(1e10), Math.tan(1.5)]);
exports.str1 = () => S(['aXbX'.replaceAll('X', '$&$&'), 'abc'.at(-1), 'x'.padStart(3, 'ab'), 'İ'.toLowerCase().length, 'ß'.toUpperCase(), 'a\u0301'.normalize('NFC').length, 'abc'.localeCompare('abd'), '\u{1F600}'.codePointAt(0), [...'a😀'].length, 'a-b-c'.split('-', 2), 'abc'.substr(-2, 1), ' x '.trim(), 'aaa'.lastIndexOf('a', 1), 'abc'.isWellFormed ? 1 : 0]);
exports.re1 = () => S(['2020-01-02'.replace(/(?<y>\d+)-(?<m>\d+)/u, '$<m>/$<y>'), [...'a1b2'.matchAll(/[a-z](\d)/g)].map((m) => m[1]), /(?<=\$)\d+/.exec('a$42')[0], 'aBc'.replace(/b/i, (m) => m + m), /^\p{Lu}/u.test('É'), 'x'.match(/y/), /a.c/s.test('a\nc'), 'abcabc'.search(/c/), /(a)|(b)/.exec('b').length, 'aaa'.replace(/a/y, 'b')]);
exports.arr1 = () => S([[3, 1, 2].toSorted ? [3, 1, 2].toSorted() : 0, [1, [2, [3, [4]]]].flat(Infinity), Array.from({ length: 3 }, (_, i) => i * 2), [1, 2, 3].copyWithin(0, 1), [1, 2, 3, 4].findLast((x) => x % 2), [10, 9, 1].sort(), [, 1].includes(undefined), [1, 2].entries().next().value, Array.of(7).length, [1, 2, 3].reduceRight((a, b) => a + '-' + b), [5, 1, 4].sort((a, b) => b - a), [..."ab"].fill('z', 1)]);
exports.cls1 = () => { class A { #x = 1; static #c = 0; static { A.#c = 5; } get x() { return this.#x; } set x(v) { this.#x = v * 2; } static c() { return A.#c; } has(o) { return #x in o; } } class B extends A { get x() { return super.x + 100; } set x(v) { super.x = v; } } const b = new B(); b.x = 4; return S([b.x, A.c(), b.has(b), b.has({}), B.name, new.target === undefined]); };
exports.gen1 = () => { function* g() { const x = yield 1; try { yield x * 2; } finally { yield 'f'; } } const i = g(); return S([i.next(), i.next(4), i.return(9), i.next(), [...(function* () { yield* [1, 2]; })()]]); };
exports.async1 = async () => { const o = []; async function* g() { yield 1; yield 2; } for await (const x of g()) o.push(x); o.push(await Promise.allSettled([1, Promise.reject(new Error('e'))]).then((r) => r.map((x) => x.status))); o.push(await Promise.any([Promise.reject(1), 2])); o.push(await Promise.race([new Promise((r) => setTimeout(r, 5, 'slow')), new Promise((r) => setTimeout(r, 1, 'fast'))])); try { await Promise.any([Promise.reject(1)]); } catch (e) { o.push(e.name, e.errors); } return S(o); };
exports.proxy1 = () => { const log = []; const p = new Proxy({ a: 1 }, { get(t, k) { log.push('get ' + String(k)); return t[k]; }, has(t, k) { log.push('has ' + String(k)); return k in t; }, ownKeys(t) { log.push('keys'); return Reflect.ownKeys(t); } }); p.a; 'b' in p; Object.keys(p); ({ ...p }); return S(log); };
exports.big1 = () => S([(2n ** 64n).toString(), (-7n / 2n).toString(), BigInt.asUintN(8, 257n).toString(), typeof 1n, (5n > 4).toString(), BigInt('0xff').toString(), (1n << 70n).toString()]);
exports.sym1 = () => { const o = { [Symbol.toPrimitive]: (h) => h, [Symbol.toStringTag]: 'T' }; return S([`${o}`, o + '', +{ valueOf: () => 3 }, Object.prototype.toString.call(o), Symbol('d').description, Symbol.for('k') === Symbol.for('k')]); };
exports.err1 = () => { const e = new Error('a', { cause: 'c' }); class X extends Error { constructor(m) { super(m); this.name = 'X'; } } const x = new X('m'); return S([e.cause, String(x), x instanceof Error, new AggregateError([1], 'g').errors, Error('f').message, typeof x.stack]); };
exports.labels = () => { const o = []; a: for (let i = 0; i < 3; i++) { for (let j = 0; j < 3; j++) { if (j === 1) continue a; if (i === 2) break a; o.push(i + '' + j); } } b: { o.push('in'); break b; } switch (3) { case 1: o.push(1); default: o.push('d'); case 2: o.push(2); break; case 4: o.push(4); } return S(o); };
exports.destr = () => { const { a = 1, b: { c = 2, ...r } = { d: 4 }, ...rest } = { e: 5 }; const [x, , y = x, ...z] = [1, 2, undefined, 4, 5]; let q; ({ q = 7 } = {}); return S([a, c, r, rest, x, y, z, q]); };
exports.typed = () => S([[...new Float32Array([1.1])][0], new Uint8ClampedArray([300, -5, 1.5]).join(), new DataView(new ArrayBuffer(8)).getFloat64(0), Array.from(new Int16Array([1, 2]).map((x) => x * 40000)), new BigInt64Array(1)[0].toString(), new Uint8Array([1, 2, 3]).subarray(1).length]);
exports.tagged = () => { const t = (s, ...v) => s.raw.join('|') + v.join(','); return S([t`a${1}\n${2}c`, String.raw`\u00e9${1}`]); };
exports.logical = () => { let a = null, b = 0, c = 'x'; a ??= 1; b ||= 2; c &&= 3; const o = null; return S([a, b, c, o?.x?.y, o?.[1], o?.f(), (() => 5)?.(), 0 ?? 1, 2 ** 3 ** 2, (-2) ** 2, 1_000]); };
const inspected = (...values) => values.map((value) => util.inspect(value)).join('\n');
class Foo { constructor() { this.a = 1; } }
class Bar extends Foo { get x() { return 1; } }
class Keys extends Map {}
class Tagged { get [Symbol.toStringTag]() { return 'T'; } }
const squares = (count) => Array.from({ length: count }, (_, i) => i * i);
exports.inspectPlain = () => inspected({ a: 1, b: 'x', c: [1, 2, { d: null }] }, {}, [], { a: { b: { c: { d: 1 } } } }, { a: { b: { c: {} } } }, [1, , 3], [, , 1, ,], null, undefined, -0, 5n, true, Symbol('s'));
exports.inspectLists = () => inspected(squares(7), squares(30), squares(101), ['apple', 'banana', 'cherry', 'date', 'elderberry', 'fig', 'grape'], Array.from({ length: 120 }, (_, i) => 's' + i), Array.from({ length: 12 }, (_, i) => ({ id: i })));
exports.inspectTexts = () => inspected("it's", 'say "hi"', 'both \' and "', 'all \' " `', '\x00\x1b\n\t\\é\ud800', { t: 'a line\nand another line that is long enough to break the whole object in pieces ok', u: 1 }, ['x'.repeat(90)]);
exports.inspectClasses = () => inspected(new Foo(), new Bar(), new Keys([[1, 2]]), new Tagged(), Object.create(null), Foo, Bar, function named() {}, () => 1, async function af() {}, Object.assign(function p() {}, { x: 1 }), [new Number(3), new String('abc'), Object(1n)]);
exports.inspectBuiltIns = () => inspected(new Map([[{ a: 1 }, 'x'], ['k', [1, 2]]]), new Set([1, 'a', { b: 2 }]), new Map(), new Date(0), new Date(NaN), /a\/b/gi, new Uint8Array([1, 2, 3]), new WeakMap(), { get a() { return 1; }, set b(v) {}, [Symbol('k')]: 1, 'a-b': 2 });
exports.inspectRings = () => { const ring = { name: 'r' }; ring.self = ring; ring.list = [ring]; return inspected(ring, [[[[1]]]], { level1: { level2: { level3: 'deep value here', other: [1, 2, 3] }, x: 'some text' }, y: [{ a: 1, b: { c: 2 } }] }); };
exports.inspectOptions = () => [util.inspect({ a: { b: 1 } }, { depth: 0 }), util.inspect({ b: 1, a: [1, 2, 3] }, { sorted: true, breakLength: 10 }), util.inspect({ a: { b: { c: { d: 1 } } } }, { depth: null }), util.inspect({ [util.inspect.custom]: (depth, options) => 'mine ' + depth })].join('\n');
exports.formatted = () => [util.format('%s:%d:%i:%f:%j:%%', 'a', 1.5, 2.7, '3.5', { a: 1 }), util.format('a', 'b', 3, { x: 1 }), util.format('%s', null, undefined), util.format('%s %s', new Foo(), { toString() { return 'own'; } }), util.format('%s %d', -0, 5n), util.format('%x %s')].join('\n');
exports.equal = () => S([[{ a: [1] }, { a: [1] }], [[1], ['1']], [new Map([[1, { a: 1 }]]), new Map([[1, { a: 1 }]])], [new Set([{ a: 1 }]), new Set([{ a: 1 }])], [0, -0], [new Foo(), { a: 1 }], [new Date(1), new Date(2)], [squares(300), squares(300)], [new Number(1), new Number(2)]].map(([a, b]) => util.isDeepStrictEqual(a, b)));
exports.deep = () => { const nest = (depth, end) => depth === 0 ? end : { in: nest(depth - 1, end) }; return S([util.isDeepStrictEqual(nest(9, 1), nest(9, 2)), util.isDeepStrictEqual(nest(9, 1), nest(9, 1))]); };
exports.paths = () => { const p = require('path'); return ['', '/', '//', 'a//b', '../a', './a/./b/', '/a/../..', 'a.b.c', '.x', '//a'].map((t) => [p.normalize(t), p.dirname(t), p.basename(t), p.extname(t), S(p.parse(t))].join(' ')).join('\n'); };
exports.pathErrors = () => [1, null, undefined, [], new Foo(), true].map((value) => { try { return require('path').join(value); } catch (e) { return e.code + ' ' + e.message; } }).join('\n');
exports.decoded = () => { let text = ''; for (const bytes of [[226, 130, 65], [240, 159, 152], [237, 160, 128], [255, 65], [244, 144, 128, 128], [192, 128], [239, 187, 191, 65]]) text += new TextDecoder().decode(new Uint8Array(bytes)) + '|'; return text + new TextDecoder('utf8', { ignoreBOM: true }).decode(new Uint8Array([239, 187, 191])).length; };
exports.fatal = () => { try { return new TextDecoder('utf-8', { fatal: true }).decode(new Uint8Array([255])); } catch (e) { return e.name + ' ' + e.code; } };
exports.ticks = async () => { const o = []; Promise.resolve().then(() => o.push('promise')); process.nextTick((value) => o.push(value), 'tick'); o.push('now'); await null; return S(o); };
exports.emitterFields = () => { const E = require('events'); class Own extends E { constructor() { super(); this.own = 1; } } const o = new Own(); o.on('a', () => 1); return S([Object.keys(o), o._eventsCount, Object.keys(o._events)]); };
exports.emitterErrors = () => { const E = require('events'); return [() => new E().emit('error', 'text'), () => new E().emit('error', { a: 1 }), () => new E().on('x', 1), () => new E().setMaxListeners(-1)].map((f) => { try { return f(); } catch (e) { return e.code + ' ' + e.message; } }).join('\n'); };
exports.collected = () => { const ref = new WeakRef({ a: 1 }); new FinalizationRegistry(() => 1).register({}); return String(ref.deref().a) + ref; };

// Behaviour that instrumentation must not change, such as optional chaining, exceptions and `this`.
const outcome = (f) => { try { const value = f(); return value === undefined ? 'undefined' : S(value); } catch (e) { return e.name; } };
exports.optionalCalls = () => {
    const log = [];
    const note = (value) => { log.push(value); return value; };
    const full = { own: 7, b() { return this.own; }, c: { own: 8, d() { return this.own; } }, n: null };
    const found = [];
    for (const a of [full, {}, { c: {} }, { c: null }, null, undefined]) {
        found.push([() => a.b?.(), () => a?.b(), () => a?.b?.(), () => (a?.b)?.(), () => (a.b)?.(), () => (a?.b)(), () => a?.[note('b')]?.(note(1)),
            () => a[note('b')]?.(), () => a?.c.d?.(), () => a?.c[note('d')]?.(note(2)), () => a?.c?.d?.(), () => a.c?.d(), () => (a?.c.d)?.(),
            () => a?.n?.x.y(note(3)), () => a.c.d?.(), () => a?.b?.().x, () => a?.c?.[note('d')](), () => delete a?.b, () => a?.c?.d.call?.({ own: 9 }),
            () => a?.c(a?.n).d?.()].map(outcome).join());
    }
    return found.join('\n') + '\n' + log.join();
};
exports.logicalAssignments = () => {
    const found = [];
    for (const first of [null, undefined, 0, '', 'x', false]) {
        const o = { get v() { return this.kept; }, set v(value) { this.kept = value; this.sets = (this.sets ?? 0) + 1; }, kept: first };
        found.push([o.v ??= 'a', o.sets, o.v ||= 'b', o.sets, o.v &&= 'c', o.sets, (() => { let x = first; x ??= () => 1; return typeof x === 'function' ? x.name : x; })()]);
    }
    return S(found);
};
exports.functionNames = () => {
    let late; late ??= () => 1; const { d = () => 1, e = class {} } = {}; const [f = function () {}] = [];
    const g = (true && (() => 1)); const h = true ? () => 1 : 0; class K { static s = () => 1; i = () => 1; #p = () => 1; q() { return this.#p.name; } }
    const o = { m: () => 1, ['x' + 1]: () => 1, async n() {}, get z() { return 1; } };
    return S([late.name, d.name, e.name, f.name, g.name, h.name, K.s.name, new K().i.name, new K().q(), o.m.name, o.x1.name, o.n.name, Object.getOwnPropertyDescriptor(o, 'z').get.name, (() => 1).name]);
};
exports.loops = () => {
    const log = [];
    outer: for (let i = 0, fs = []; ; i++) { fs.push(() => i); if (i > 2) { log.push(fs.map((f) => f()).join()); break outer; } }
    const closures = []; for (const k in { a: 1, b: 2 }) closures.push(() => k); log.push(closures.map((f) => f()).join());
    do { if (log.length > 2) continue; log.push('once'); } while (log.length < 3);
    for (const [x, { y = 2 } = {}] of [[1], [2, { y: 3 }]]) log.push(x + y);
    const value = eval('let n = 0; while (n < 3) { n++; if (n === 2) continue; n; }'); log.push(value);
    try { for (const x of (function* () { try { yield 1; yield 2; } finally { log.push('closed'); } })()) { if (x) throw x; } } catch (x) { log.push('caught ' + x); } finally { log.push('finally'); }
    const early = () => { try { return 'try'; } finally { log.push('after'); } }; log.push(early());
    switch (log.length) { default: log.push('default'); case -1: log.push('fell'); break; case -2: log.push('never'); }
    return S(log);
};
// Keywords without spaces after them.
exports.compact = async () => {
    const f=a=>{switch(a){case"x":return"x"===a?1:2;case-1:return!a&&a;case(5):return/x/.test(a)?1:2;default:if(a)throw"q"===a?new Error("q"):3;else return typeof"s"===a}};
    const g=function*(){yield"a"?1:2};const h=async a=>await"z"&&void"x"||delete"y"[a];const o={};for(const k of"ab")o[k]=1;for(var k in"cd"&&o)o[k]++;
    const i=a=>{do{if(a)break;else a=1}while(!a);try{throw"t"}catch{return"a"in o?a:0}finally{a=2}};
    return S([outcome(()=>f("x")),outcome(()=>f(-1)),outcome(()=>f(5)),outcome(()=>f(0)),outcome(()=>f("q")),[...g()],await h(1),o,i(1),i(0)]);
};
