// The module `path`, for POSIX.
const pathModule = () => {
    const text = (value, name = 'path') => checkArgument(value, name, 'string');
    const normalizeParts = path => {
        const parts = [];
        for (const part of path.split('/')) {
            if (part === '..' && parts.length > 0 && parts.at(-1) !== '..') {
                parts.pop();
            } else if (part !== '' && part !== '.' && !(part === '..' && path[0] === '/')) {
                push(parts, part);
            }
        }
        return parts.join('/');
    };
    /** The position of the slash before the last name, or -1 if there is none. */
    const cutOf = path => path.replace(/\/+$/, '').lastIndexOf('/');
    const path = {
        sep: '/',
        delimiter: ':',
        normalize(path) {
            text(path);
            const body = normalizeParts(path);
            const tail = path.endsWith('/') && body !== '' ? '/' : '';
            return path[0] === '/' ? '/' + body + tail : body + tail || (path.endsWith('/') ? './' : '.');
        },
        join(...parts) {
            parts.forEach(part => text(part));
            return path.normalize(parts.filter(part => part !== '').join('/') || '.');
        },
        resolve(...parts) {
            let full = '/subject';
            for (const part of parts) {
                text(part, 'paths[' + parts.indexOf(part) + ']');
                full = part[0] === '/' ? part : part === '' ? full : full + '/' + part;
            }
            return '/' + normalizeParts(full);
        },
        isAbsolute(path) {
            text(path);
            return path[0] === '/';
        },
        dirname(path) {
            text(path);
            const cut = cutOf(path);
            return cut < 0 ? path[0] === '/' ? '/' : '.' : cut === 0 ? '/' : cut === 1 && path[0] === '/' ? '//' : path.slice(0, cut);
        },
        basename(path, end) {
            text(path);
            const name = path.replace(/\/+$/, '').split('/').at(-1);
            if (end !== undefined) {
                text(end, 'suffix');
            }
            if (end && end === path) {
                return '';
            }
            return end && name !== end && name.endsWith(end) ? name.slice(0, -end.length) : name;
        },
        extname(path) {
            text(path);
            const name = path.replace(/\/+$/, '').split('/').at(-1);
            const cut = name.lastIndexOf('.');
            return cut <= 0 || name === '..' ? '' : name.slice(cut);
        },
        relative(from, to) {
            text(from, 'from');
            text(to, 'to');
            const a = path.resolve(from).split('/').filter(Boolean);
            const b = path.resolve(to).split('/').filter(Boolean);
            let common = 0;
            while (common < a.length && common < b.length && a[common] === b[common]) {
                common++;
            }
            return [...a.slice(common).map(() => '..'), ...b.slice(common)].join('/');
        },
        parse(whole) {
            text(whole);
            const root = whole[0] === '/' ? '/' : '';
            const base = path.basename(whole);
            const ext = path.extname(whole);
            const dir = cutOf(whole) > 0 ? whole.slice(0, cutOf(whole)) : root;
            return {root, dir, base, ext, name: base.slice(0, base.length - ext.length)};
        },
        format(parts) {
            checkArgument(parts, 'pathObject', 'object');
            const {root = '', dir = root, base, name = '', ext = ''} = parts;
            const file = base || name + (ext === '' || ext[0] === '.' ? ext : '.' + ext);
            return dir === '' ? file : dir === root ? dir + file : dir + '/' + file;
        },
        toNamespacedPath: path => path,
    };
    lazily(path, 'win32', true, () => streams().windowsPathOf(path));
    return assign(path, {posix: path});
};
