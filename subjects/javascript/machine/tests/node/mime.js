'use strict';
// Shows the behaviour of MIME types in `util`. The results are in mime-20.json, from `TZ=UTC node
// print.js mime`.
const S = JSON.stringify;
const { MIMEType, MIMEParams } = require('util');
const tried = (f) => { try { return f(); } catch (e) { return [e.name, e.code, e.message]; } };
const shown = (t) => tried(() => { const m = new MIMEType(t); return [String(m), m.type, m.subtype, m.essence, [...m.params], JSON.stringify({ m })]; });
exports.read = () => S(['text/html', ' Text/HTML ; Charset="utf-8" ', 'text/plain;charset=UTF-8;charset=x', 'a/b;c', 'a/b;c=', 'a/b;c=""', 'a/b;c="d\\"e\\\\f"', 'a/b;c="open', 'a/b;c="back\\', 'a/b;c="x"junk;d=1', 'a/b; c = d', 'a/b;c=d e ', 'a/b;c=d;;e=f', 'a/b;=x;y=z', 'a/b;é=1;k=é', 'application/vnd.api+json;profile=a;b=\u0001', 'a/b;\n', 'A/B;X=Y'].map(shown));
exports.refused = () => S(['', 'a', 'a/', '/b', 'a b/c', 'a/b c', 'é/x', 'a/é', 'a//b', null, undefined, 5, {}].map(shown).concat([tried(() => new MIMEType())]));
exports.changed = () => { const m = new MIMEType('text/plain;a=1'); m.type = 'IMAGE'; m.subtype = 'Png'; m.params.set('b', 'x y'); m.params.set('A', 2); m.params.delete('a'); return S([String(m), m.params.get('b'), m.params.get('z'), m.params.has('A'), [...m.params.keys()], [...m.params.values()], [...m.params.entries()], tried(() => { m.type = 'a b'; }), tried(() => { m.subtype = ''; }), tried(() => m.params.set('', 1)), tried(() => m.params.set('a b', 1)), tried(() => m.params.set('a', '\u0100')), String(m.params), JSON.stringify(m.params)]); };
exports.params = () => { const p = new MIMEParams(); p.set('q', '"'); p.set('e', ''); return S([String(p), [...p], Object.keys(p), p.get('e'), typeof p[Symbol.iterator]]); };
