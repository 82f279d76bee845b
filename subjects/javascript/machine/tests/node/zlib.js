'use strict';
// Functions that show the behaviour of `zlib` in Node.js. The results are in zlib-20.json (see
// print.js).
const z = require('zlib');
const S = JSON.stringify;
const tried = (f) => { try { return f(); } catch (e) { return [e.name, e.code, e.errno, e.message]; } };
const later = (f) => new Promise((done) => f((error, value) => done(error ? [error.name, error.code, error.message] : value)));
/** Data that is the same everywhere: text with repetitions, pseudo-random numbers, and runs. */
const text = (n) => Array.from({ length: n }, (_, i) => `line ${(i * i) % 97} of ${i % 13} `).join('');
const noise = (n) => { let x = 7; return Buffer.from(Array.from({ length: n }, () => (x = (x * 1103515245 + 12345) & 0x7fffffff) >> 16)); };
const runs = (n) => Buffer.from(Array.from({ length: n }, (_, i) => (i / 40) | 0));
const few = (n) => noise(n).map((b) => 97 + (b % 3));
const inputs = () => ['', 'a', 'hello hello hello', 'aaaaaaaaaaaaaaaaaaaaaaaa', text(20), text(120), noise(300), noise(1000), runs(1500), few(900)];
const hash = (b) => require('crypto').createHash('md5').update(b).digest('hex') + b.length;
const short = (b) => (b.length < 40 ? b.toString('hex') : hash(b));
exports.keys = () => S([Object.keys(z).filter((k) => !/rotli/.test(k)), Object.keys(z.codes).length, z.codes.Z_BUF_ERROR, z.codes['-5'], z.Z_FINISH, z.constants.Z_BEST_COMPRESSION, z.Deflate.name, new z.Gzip() instanceof require('stream').Transform]);
exports.raw = () => S(inputs().map((b) => short(z.deflateRawSync(b))));
exports.wrapped = () => S(inputs().map((b) => [short(z.deflateSync(b)), short(z.gzipSync(b))]));
exports.levels = () => S([1, 2, 3, 4, 5, 6, 7, 8, 9].map((level) => inputs().map((b) => short(z.deflateSync(b, { level })))));
exports.stored = () => S(inputs().map((b) => short(z.gzipSync(b.slice(0, 9000), { level: 0 }))));
exports.strategies = () => S([1, 2, 3, 4].map((strategy) => inputs().map((b) => short(z.deflateSync(b, { strategy })))));
exports.memory = () => S([[1, 9], [3, 10], [9, 15], [8, 12]].map(([memLevel, windowBits]) => inputs().map((b) => short(z.deflateSync(b, { memLevel, windowBits })))));
/** More symbols than fit into a block. */
exports.large = () => S([short(z.deflateSync(noise(16500)))]);
exports.back = () => S(inputs().map((b) => [z.inflateSync(z.deflateSync(b)), z.gunzipSync(z.gzipSync(b)), z.unzipSync(z.gzipSync(b)), z.unzipSync(z.deflateSync(b)), z.inflateRawSync(z.deflateRawSync(b))].every((x) => x.equals(Buffer.from(b)))));
exports.damaged = () => S([() => z.inflateSync(Buffer.from([1, 2, 3])), () => z.inflateSync(''), () => z.gunzipSync(Buffer.from('hello world')), () => z.gunzipSync(z.gzipSync('hello').subarray(0, 15)), () => z.inflateRawSync(Buffer.from([7, 1])), () => z.inflateRawSync(Buffer.from([0, 1, 2, 3, 4])), () => z.inflateSync(Buffer.concat([z.deflateSync('abc').subarray(0, -1), Buffer.from([9])])), () => { const g = z.gzipSync('abc'); g[g.length - 1] = 7; return z.gunzipSync(g); }, () => { const g = z.gzipSync('abc'); g[g.length - 6] ^= 7; return z.gunzipSync(g); }, () => z.unzipSync(Buffer.from([1, 2, 3, 4])), () => z.inflateSync(5), () => z.deflateSync({}), () => z.deflateSync('a', { level: 10 }), () => z.deflateSync('a', { level: 'x' }), () => z.deflateSync('a', { windowBits: 7 }), () => z.deflateSync('a', { chunkSize: 5 }), () => z.inflateSync(z.deflateSync('a'.repeat(100)), { maxOutputLength: 10 }), () => z.deflate('a'), () => z.inflateSync(z.deflateSync('abcabc').subarray(0, 6), { finishFlush: z.constants.Z_SYNC_FLUSH }).toString(), () => z.inflateRawSync(Buffer.from([0x4b, 4, 1])), () => z.crc32(5)].map(tried));
exports.several = () => S([z.gunzipSync(Buffer.concat([z.gzipSync('a'), z.gzipSync('b')])).toString(), tried(() => z.gunzipSync(Buffer.concat([z.gzipSync('a'), Buffer.alloc(5)])).toString()), z.inflateSync(Buffer.concat([z.deflateSync('a'), Buffer.from('rest')])).toString(), z.crc32('hello'), z.crc32(Buffer.from('lo'), z.crc32('hel')), z.deflateSync('x', { info: true }).engine.bytesWritten]);
exports.callbacks = async () => { const g = await later((f) => z.gzip('hello', f)); return S([g.toString('hex'), String(await later((f) => z.gunzip(g, f))), String(await later((f) => z.unzip(g, {}, f))), await later((f) => z.inflate(Buffer.from([1, 2]), f)), (await later((f) => z.deflate(text(400), { level: 9 }, f))).length, String(await require('util').promisify(z.inflateRaw)(z.deflateRawSync('p')))]); };
const collected = (s, write) => new Promise((done) => { const o = []; s.on('data', (c) => o.push(short(c))); s.on('end', () => o.push('end')); s.on('close', () => done(o)); s.on('error', (e) => o.push([e.code, e.message])); write(s, o); });
exports.streams = async () => S([await collected(z.createGzip(), (s) => { s.write('hello '); s.end('world'); }), await collected(z.createDeflate({ chunkSize: 64 }), (s) => s.end(noise(300))), await collected(z.createGunzip(), (s) => { const g = z.gzipSync(text(100)); s.write(g.subarray(0, 30)); s.end(g.subarray(30)); }), await collected(z.createInflate(), (s) => s.end('nonsense')), await collected(z.createDeflateRaw(), (s) => s.end()), await collected(z.createUnzip(), (s) => s.end(z.deflateSync('either'))), await collected(z.createDeflate(), (s, o) => { s.write('abc'); s.flush(() => { o.push('flushed'); s.write('def'); s.flush(z.constants.Z_SYNC_FLUSH, () => s.end('g')); }); })]);
exports.piping = async () => { const { pipeline } = require('stream/promises'); const { Readable } = require('stream'); const o = []; await pipeline(Readable.from([text(200), text(100)]), z.createGzip(), z.createGunzip(), async (s) => { for await (const c of s) o.push(c.length); }); return S(o.reduce((a, b) => a + b)); };
