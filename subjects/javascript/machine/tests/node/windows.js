'use strict';
// Shows the behaviour of `path.win32`. The results are in windows-20.json, from `TZ=UTC node
// print.js windows`.
const S = JSON.stringify;
const p = require('path').win32;
const PATHS = ['', '.', '..', '/', '\\', '//', 'C:', 'c:/', 'C:\\', 'C:a', 'C:..\\b', 'a', 'a/', 'a\\b/c', 'a//b\\\\c', './a/../..', '/a/../../b', 'C:\\a\\..\\..\\b.txt', 'C:/x/y.tar.gz', '\\\\server\\share', '//server/share/', '\\\\server\\share\\a\\..\\..\\b', '\\\\server', '\\\\server\\', '///a/b', '\\\\.\\pipe\\x', '//?/C/a', '.x', 'a/.x', 'a/b.', 'a/..b', 'x/..', 'a b/c d.e f', 'Z:/..', 'C:.', 'a.b/', '//a//b//c'];
const tried = (f) => { try { return f(); } catch (e) { return [e.name, e.code, e.message]; } };
exports.parts = () => PATHS.map((t) => S([p.normalize(t), p.dirname(t), p.basename(t), p.extname(t), p.isAbsolute(t), p.parse(t)])).join('\n');
exports.joined = () => S([[], [''], ['a', 'b'], ['a', '..', 'c'], ['/a', '/b'], ['//server', 'share'], ['//', 'a'], ['C:', 'x'], ['C:\\', '..', 'x'], ['a', '', './b/'], ['\\\\s', 't', 'u'], ['/', '/x'], ['..', '..', 'a']].map((parts) => p.join(...parts)));
exports.resolved = () => S([['C:\\a', 'b'], ['C:/a', '../b', './c'], ['C:/a', 'D:/b', 'c'], ['c:/x', 'C:y'], ['//server/share', 'a', '..\\b'], ['C:\\a', '/b'], ['C:/', 'D:', 'C:x'], ['C:/a/b/', '..', '..', '..'], ['\\\\s\\t\\u', '/v']].map((parts) => p.resolve(...parts)));
exports.relatives = () => S([['C:\\a\\b', 'C:\\a\\c'], ['C:\\a', 'c:\\A\\b'], ['C:\\a\\b\\c', 'C:\\a'], ['C:\\', 'C:\\x\\y'], ['C:\\x', 'D:\\x'], ['C:\\foo', 'C:\\foobar'], ['\\\\s\\t\\a', '\\\\s\\t\\b'], ['C:/a', 'C:/a'], ['\\\\s\\t', 'C:\\']].map(([a, b]) => p.relative(a, b)));
exports.formats = () => S([{ dir: 'C:\\a', base: 'b.c' }, { root: 'C:\\', base: 'x' }, { root: 'C:\\', dir: 'C:\\', name: 'n', ext: 'e' }, { name: 'n', ext: '.e' }, {}, { dir: 'a' }].map((o) => p.format(o)).concat([p.basename('C:\\a\\b.html', '.html'), p.basename('a.b', 'a.b'), p.basename('x/aa', 'a'), p.toNamespacedPath('C:\\a\\..\\b'), p.toNamespacedPath('\\\\s\\t\\u'), p.toNamespacedPath(''), p.toNamespacedPath(5), p.sep, p.delimiter, p.win32 === p, p.posix.sep]));
exports.wrong = () => S([tried(() => p.normalize(5)), tried(() => p.join('a', null)), tried(() => p.resolve('a', {})), tried(() => p.basename('a', 1)), tried(() => p.format(null)), tried(() => p.relative(1)), tried(() => p.dirname()), tried(() => p.parse([]))]);
