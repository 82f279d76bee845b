// The module `path` for Windows.
const windowsPathOf = posix => {
    const text = (value, name = 'path') => {
        checkArgument(value, name, 'string');
        // Within version 20 of Node.js, the meaning of a colon that does not follow a drive letter
        // changed.
        return value.indexOf(':', /^[a-z]:/i.test(value) ? 2 : 0) >= 0 ? unavailable('path.win32').call() : value;
    };
    const isCut = letter => letter === '/' || letter === '\\';
    /** The server and the share at the beginning of a path, with their length, or `null` if there are none. */
    const shareOf = path => {
        const found = /^[\\/]{2}([^\\/]+)[\\/]+([^\\/]+)/.exec(path);
        return found && {length: found[0].length, server: found[1], share: found[2], isDevice: found[1] === '.' || found[1] === '?'};
    };
    /** The device of a path, the length of its root, and whether the path is absolute. */
    const rootOf = path => {
        const share = shareOf(path);
        if (share?.isDevice) {
            return {device: '\\\\' + share.server, length: 4, absolute: true};
        }
        if (share) {
            return {device: '\\\\' + share.server + '\\' + share.share, length: share.length, absolute: true};
        }
        if (isCut(path[0])) {
            return {device: '', length: isCut(path[1]) ? 0 : 1, absolute: true};
        }
        if (/^[a-z]:/i.test(path)) {
            const absolute = isCut(path[2]);
            return {device: path.slice(0, 2), length: absolute ? 3 : 2, absolute};
        }
        return {device: '', length: 0, absolute: false};
    };
    const partsOf = (path, absolute) => {
        const parts = [];
        for (const part of path.split(/[\\/]+/)) {
            if (part === '..' && parts.length > 0 && parts.at(-1) !== '..') {
                parts.pop();
            } else if (part !== '' && part !== '.' && !(part === '..' && absolute)) {
                push(parts, part);
            }
        }
        return parts.join('\\');
    };
    /** The position at which the names of a path begin, after the root. */
    const rootLength = path => {
        const share = shareOf(path);
        if (share) {
            return share.length === path.length ? share.length : share.length + 1;
        }
        return isCut(path[0]) ? 1 : /^[a-z]:/i.test(path) ? isCut(path[2]) ? 3 : 2 : 0;
    };
    const withoutEnd = path => path.replace(/[\\/]+$/, '');
    const nameOf = path => withoutEnd(path.slice(/^[a-z]:/i.test(path) ? 2 : 0)).split(/[\\/]/).at(-1);
    const path = {
        sep: '\\',
        delimiter: ';',
        normalize(path) {
            text(path);
            if (path.length < 2) {
                return path === '/' ? '\\' : path || '.';
            }
            const {device, length, absolute} = rootOf(path);
            const share = shareOf(path);
            if (share && !share.isDevice && share.length === path.length) {
                return device + '\\';
            }
            let tail = partsOf(path.slice(length), absolute);
            if (tail === '' && !absolute) {
                tail = '.';
            }
            if (tail !== '' && isCut(path.at(-1))) {
                tail += '\\';
            }
            return device + (absolute ? '\\' : '') + tail;
        },
        join(...parts) {
            parts.forEach(part => text(part));
            const given = parts.filter(part => part !== '');
            if (given.length === 0) {
                return '.';
            }
            // Two slashes denote a server only before a name at the beginning of the first part.
            const joined = given.join('\\');
            const names = /^[\\/]{2}[^\\/]/.test(given[0]);
            return path.normalize(names ? joined : joined.replace(/^[\\/]{2,}/, '\\'));
        },
        resolve(...parts) {
            let [device, tail, absolute] = ['', '', false];
            for (let i = parts.length - 1; i >= -1; i--) {
                const part = i >= 0 ? text(parts[i], 'paths[' + i + ']') : '/subject';
                if (part === '') {
                    continue;
                }
                const root = rootOf(part);
                if (root.device !== '') {
                    if (device !== '' && root.device.toLowerCase() !== device.toLowerCase()) {
                        continue;
                    }
                    device ||= root.device;
                }
                if (!absolute) {
                    tail = part.slice(root.length) + '\\' + tail;
                    absolute = root.absolute;
                }
                if (absolute && device !== '') {
                    break;
                }
            }
            return device + (absolute ? '\\' : '') + partsOf(tail, absolute) || '.';
        },
        isAbsolute(path) {
            text(path);
            return isCut(path[0]) || /^[a-z]:[\\/]/i.test(path);
        },
        dirname(path) {
            text(path);
            if (path.length < 2) {
                return isCut(path) ? path : '.';
            }
            const root = rootLength(path);
            if (shareOf(path)?.length === path.length) {
                return path;
            }
            const names = withoutEnd(path.slice(root));
            const cut = names.search(/[\\/][^\\/]*$/);
            return cut >= 0 ? path.slice(0, root + cut) : root === 0 ? '.' : path.slice(0, root);
        },
        basename(path, end) {
            if (end !== undefined) {
                checkArgument(end, 'suffix', 'string');
            }
            text(path);
            const name = nameOf(path);
            if (end && end === path) {
                return '';
            }
            return end && name !== end && name.endsWith(end) ? name.slice(0, -end.length) : name;
        },
        extname(path) {
            const name = nameOf(text(path));
            const cut = name.lastIndexOf('.');
            return cut <= 0 || name === '..' ? '' : name.slice(cut);
        },
        relative(from, to) {
            const [left, right] = [path.resolve(text(from, 'from')), path.resolve(text(to, 'to'))];
            const names = path => path.split('\\').filter(Boolean);
            const [a, b] = [names(left), names(right)];
            let common = 0;
            while (common < a.length && common < b.length && a[common].toLowerCase() === b[common].toLowerCase()) {
                common++;
            }
            const inside = (a, b) => a.toLowerCase().startsWith(b.toLowerCase());
            if (common === 0 && a.length > 0 && b.length > 0 && (inside(a.join('\\'), b.join('\\')) || inside(b.join('\\'), a.join('\\')))) {
                // Versions of Node.js return different results here.
                unavailable('path.win32.relative').call();
            }
            return common === 0 && a.length > 0 && b.length > 0 ? right : [...a.slice(common).map(() => '..'), ...b.slice(common)].join('\\');
        },
        parse(path) {
            text(path);
            const length = path.length < 2 && !isCut(path) ? 0 : rootLength(path);
            const root = path.slice(0, length);
            const names = withoutEnd(path.slice(length));
            const base = names.split(/[\\/]/).at(-1);
            const cut = base.lastIndexOf('.');
            const ext = cut <= 0 || base === '..' ? '' : base.slice(cut);
            const before = names.length - base.length;
            return {root, dir: before > 0 ? path.slice(0, length + before - 1) : root, base, ext, name: base.slice(0, base.length - ext.length)};
        },
        format(parts) {
            if (parts === null || typeof parts !== 'object') {
                throw wrongType('pathObject', 'of type object', parts);
            }
            const dir = parts.dir || parts.root;
            const {name = '', ext = ''} = parts;
            const file = parts.base || (name || '') + (!ext || ext[0] === '.' ? ext || '' : '.' + ext);
            return !dir ? file : dir === parts.root ? dir + file : dir + '\\' + file;
        },
        toNamespacedPath(given) {
            if (typeof given !== 'string' || given === '') {
                return given;
            }
            const full = path.resolve(text(given));
            if (full.length <= 2) {
                return given;
            }
            if (/^\\\\[^?.]/.test(full)) {
                return '\\\\?\\UNC\\' + full.slice(2);
            }
            return /^[a-z]:\\/i.test(full) ? '\\\\?\\' + full : full;
        },
        posix,
    };
    return assign(path, {win32: path});
};
