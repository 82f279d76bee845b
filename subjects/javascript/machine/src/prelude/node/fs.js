// The module `fs`: files in memory, which exist only during an execution. Some parts, such as
// links, watching and streams, are missing.
const ERRNO = create(null);
assign(ERRNO, {ENOENT: [-2, 'no such file or directory'], EBADF: [-9, 'bad file descriptor'], EEXIST: [-17, 'file already exists'],
    ENOTDIR: [-20, 'not a directory'], EISDIR: [-21, 'illegal operation on a directory'], EINVAL: [-22, 'invalid argument'],
    ENOTEMPTY: [-39, 'directory not empty']});
const systemError = (code, syscall, path, dest) => {
    const [errno, text] = ERRNO[code];
    const places = path === undefined ? '' : " '" + path + "'" + (dest === undefined ? '' : " -> '" + dest + "'");
    const error = new Error(code + ': ' + text + ', ' + syscall + places);
    return assign(error, {errno, code, syscall, ...path === undefined ? {} : {path}, ...dest === undefined ? {} : {dest}});
};
const fsModule = () => {
    const now = () => Date.now();
    let inode = 1;
    const node = (mode, data) => ({mode, data, ino: inode++, times: [now(), now(), now(), now()]});
    const folder = () => node(0o40755, new Map());
    const root = folder();
    for (const name of ['tmp', 'subject']) {
        mapSet(root.data, name, folder());
    }
    const isFolder = each => each.data instanceof Map;
    const pathText = (value, name = 'path') => {
        const text = value instanceof globalThis.URL ? builtinModule('url').fileURLToPath(value) : value instanceof Uint8Array ? decodedText(value, 'utf8') : value;
        if (typeof text !== 'string') {
            const kinds = 'of type string or an instance of Buffer or URL. ';
            throw coded(TypeError, 'ERR_INVALID_ARG_TYPE', 'The "' + name + '" argument must be ' + kinds + received(value));
        }
        if (text.includes('\0')) {
            throw coded(TypeError, 'ERR_INVALID_ARG_VALUE', 'The argument \'' + name + '\' must be a string, Uint8Array, or URL without null bytes. '
                + 'Received ' + inspect(text));
        }
        return text;
    };
    const partsOf = path => builtinModule('path').resolve('/subject', path).split('/').filter(part => part !== '');
    const find = (path, syscall, shown = path) => {
        let at = root;
        for (const part of partsOf(path)) {
            if (!isFolder(at)) {
                throw systemError('ENOTDIR', syscall, shown);
            }
            at = mapGet(at.data, part);
            if (at === undefined) {
                throw systemError('ENOENT', syscall, shown);
            }
        }
        if (path.endsWith('/') && !isFolder(at)) {
            throw systemError('ENOTDIR', syscall, shown);
        }
        return at;
    };
    const parentOf = (path, syscall, dest) => {
        const parts = partsOf(path);
        const name = parts.pop();
        let at = root;
        for (const part of parts) {
            at = isFolder(at) ? mapGet(at.data, part) : undefined;
            if (at === undefined || !isFolder(at)) {
                throw systemError(at === undefined ? 'ENOENT' : 'ENOTDIR', syscall, ...dest ?? [path]);
            }
        }
        return [at, name];
    };
    const touch = each => each.times.splice(1, 2, now(), now());
    const isDescriptor = value => typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < 2 ** 31;
    const optionsOf = (value, defaults) => {
        const options = typeof value === 'string' ? {...defaults, encoding: value} : {...defaults, ...value};
        const {encoding} = options;
        if (encoding && encoding !== 'buffer' && ENCODINGS[String(encoding).toLowerCase()] === undefined) {
            const message = "The argument 'encoding' is invalid encoding. Received " + inspect(encoding);
            throw coded(TypeError, 'ERR_INVALID_ARG_VALUE', message);
        }
        return options;
    };
    const bytesFor = (data, encoding) => {
        if (typeof data === 'string') {
            return new Uint8Array(encodedBytes(data, encodingOf(encoding)));
        }
        if (!ArrayBuffer.isView(data)) {
            throw coded(TypeError, 'ERR_INVALID_ARG_TYPE', 'The "data" argument must be of type string or an instance of Buffer, TypedArray, or '
                + 'DataView. ' + received(data));
        }
        return new Uint8Array(bytesOf(data));
    };
    const joined = (a, b) => {
        const all = new Uint8Array(a.length + b.length);
        setAll(all, a, 0);
        setAll(all, b, a.length);
        return all;
    };
    class Stats {
        constructor(each) {
            const folder = isFolder(each);
            const size = folder ? 4096 : each.data.length;
            assign(this, {dev: 1, mode: each.mode, nlink: folder ? 2 : 1, uid: 0, gid: 0, rdev: 0, blksize: 4096, ino: each.ino, size,
                blocks: Math.ceil(size / 512)});
            ['atime', 'mtime', 'ctime', 'birthtime'].forEach((name, index) => {
                this[name + 'Ms'] = each.times[index];
            });
            ['atime', 'mtime', 'ctime', 'birthtime'].forEach((name, index) => {
                this[name] = new Date(each.times[index]);
            });
        }
        isFile() {
            return (this.mode & 0o170000) === 0o100000;
        }
        isDirectory() {
            return (this.mode & 0o170000) === 0o40000;
        }
    }
    class Dirent {
        #folder;
        constructor(name, path, each) {
            assign(this, {name, parentPath: path, path});
            this.#folder = isFolder(each);
        }
        isFile() {
            return !this.#folder;
        }
        isDirectory() {
            return this.#folder;
        }
    }
    for (const name of ['isBlockDevice', 'isCharacterDevice', 'isSymbolicLink', 'isFIFO', 'isSocket']) {
        Stats.prototype[name] = Dirent.prototype[name] = () => false;
    }
    const files = new Map();
    let next = 20;
    const opened = fd => {
        if (typeof fd !== 'number') {
            throw coded(TypeError, 'ERR_INVALID_ARG_TYPE', 'The "fd" argument must be of type number. ' + received(fd));
        }
        const found = mapGet(files, fd);
        return found;
    };
    const needed = (fd, syscall) => {
        const found = opened(fd);
        if (found === undefined) {
            throw systemError('EBADF', syscall);
        }
        return found;
    };
    const FLAGS = ['r', 'rs', 'sr', 'r+', 'rs+', 'w', 'wx', 'xw', 'w+', 'wx+', 'a', 'ax', 'a+', 'ax+', 'as', 'as+'];
    const open = (path, flags = 'r', mode = 0o666) => {
        if (typeof flags === 'number' ? flags !== 0 : !FLAGS.includes(flags)) {
            if (typeof flags === 'string') {
                throw coded(TypeError, 'ERR_INVALID_ARG_VALUE', "The argument 'flags' is invalid. Received " + inspect(flags));
            }
            return unavailable('fs.open').call();
        }
        const text = typeof flags === 'number' ? 'r' : flags;
        const [parent, name] = parentOf(path, 'open');
        let each = name === undefined ? root : mapGet(parent.data, name);
        if (text[0] === 'r') {
            each = find(path, 'open');
        } else if (each === undefined) {
            each = node(0o100000 | mode & ~0o22, new Uint8Array(0));
            mapSet(parent.data, name, each);
            touch(parent);
        } else if (text.includes('x')) {
            throw systemError('EEXIST', 'open', path);
        }
        if (isFolder(each) && text !== 'r') {
            throw systemError('EISDIR', 'open', path);
        }
        if (text[0] === 'w') {
            each.data = new Uint8Array(0);
            touch(each);
        }
        mapSet(files, next, {each, at: 0, appends: text[0] === 'a', reads: text[0] === 'r' || text.includes('+'), writes: text !== 'r' && text !== 'rs'});
        return next++;
    };
    const put = (path, data, options) => {
        if (isDescriptor(path)) {
            const file = needed(path, 'write');
            return writeAt(file, data, null);
        }
        const fd = open(pathText(path), options.flag, options.mode);
        const file = mapGet(files, fd);
        writeAt(file, data, null);
        files.delete(fd);
    };
    const writeAt = (file, data, position) => {
        if (!file.writes) {
            throw systemError('EBADF', 'write');
        }
        const {each} = file;
        const at = file.appends ? each.data.length : position ?? file.at;
        const all = new Uint8Array(Math.max(each.data.length, at + data.length));
        setAll(all, each.data, 0);
        setAll(all, data, at);
        each.data = all;
        file.at = position === null ? at + data.length : file.at;
        touch(each);
        return data.length;
    };
    const removed = (path, syscall, folderWanted) => {
        const each = find(path, syscall);
        if (isFolder(each) !== folderWanted) {
            throw systemError(folderWanted ? 'ENOTDIR' : 'EISDIR', syscall, path);
        }
        if (folderWanted && each.data.size > 0) {
            throw systemError('ENOTEMPTY', syscall, path);
        }
        const [parent, name] = parentOf(path, syscall);
        parent.data.delete(name);
        touch(parent);
    };
    const result = (bytes, encoding) => encoding === undefined || encoding === null || encoding === 'buffer' ? globalThis.Buffer.from(bytes)
        : decodedText(bytes, encodingOf(encoding));
    const copied = each => isFolder(each) ? unavailable('fs.cp').call() : node(each.mode, new Uint8Array(each.data));
    const sync = {
        access(path) {
            find(pathText(path), 'access');
        },
        appendFile(path, data, options) {
            const given = optionsOf(options, {encoding: 'utf8', flag: 'a'});
            put(path, bytesFor(data, given.encoding), given);
        },
        chmod(path, mode) {
            const each = find(pathText(path), 'chmod');
            each.mode = each.mode & 0o170000 | Number(mode) & 0o7777;
        },
        close(fd) {
            needed(fd, 'close');
            files.delete(fd);
        },
        copyFile(from, to, mode = 0) {
            const [source, dest] = [pathText(from, 'src'), pathText(to, 'dest')];
            const each = find(source, 'copyfile');
            if (isFolder(each)) {
                throw systemError('EISDIR', 'copyfile', source, dest);
            }
            const [parent, name] = parentOf(dest, 'copyfile', [source, dest]);
            if (mode & 1 && mapHas(parent.data, name)) {
                throw systemError('EEXIST', 'copyfile', source, dest);
            }
            mapSet(parent.data, name, copied(each));
        },
        exists: path => safely(() => find(pathText(path), 'access')) !== undefined,
        fstat: fd => new Stats(needed(fd, 'fstat').each),
        fsync: fd => void needed(fd, 'fsync'),
        ftruncate(fd, length = 0) {
            const {each} = needed(fd, 'ftruncate');
            const all = new Uint8Array(length);
            setAll(all, each.data.subarray(0, length), 0);
            each.data = all;
        },
        mkdir(path, options) {
            const text = pathText(path);
            const given = typeof options === 'object' && options !== null ? options : {};
            if (given.recursive) {
                let at = root;
                let first;
                const done = [];
                for (const part of partsOf(text)) {
                    push(done, part);
                    if (!isFolder(at)) {
                        throw systemError('ENOTDIR', 'mkdir', text);
                    }
                    if (!mapHas(at.data, part)) {
                        mapSet(at.data, part, folder());
                        first ??= '/' + done.join('/');
                    }
                    at = mapGet(at.data, part);
                }
                if (!isFolder(at)) {
                    throw systemError('EEXIST', 'mkdir', text);
                }
                return first;
            }
            const [parent, name] = parentOf(text, 'mkdir');
            if (name === undefined || mapHas(parent.data, name)) {
                throw systemError('EEXIST', 'mkdir', text);
            }
            mapSet(parent.data, name, folder());
            touch(parent);
        },
        mkdtemp(prefix) {
            const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
            const suffix = Array.from({length: 6}, () => LETTERS[Math.floor(Math.random() * LETTERS.length)]).join('');
            const text = pathText(prefix, 'prefix') + suffix;
            sync.mkdir(text);
            return text;
        },
        open: (path, flags, mode) => open(pathText(path), flags, mode),
        readFile(path, options) {
            const {encoding, flag} = optionsOf(options, {flag: 'r'});
            const known = encoding === undefined || encoding === null || encoding === 'buffer' ? encoding : encodingOf(encoding);
            let each;
            if (isDescriptor(path)) {
                ({each} = needed(path, 'read'));
            } else {
                const fd = open(pathText(path), flag);
                ({each} = mapGet(files, fd));
                files.delete(fd);
            }
            if (isFolder(each)) {
                throw systemError('EISDIR', 'read');
            }
            return result(each.data, known);
        },
        readdir(path, options) {
            const text = pathText(path);
            const given = optionsOf(options, {});
            const each = find(text, 'scandir');
            if (!isFolder(each)) {
                throw systemError('ENOTDIR', 'scandir', text);
            }
            if (given.recursive) {
                return unavailable('fs.readdir').call();
            }
            const names = [...each.data.keys()].sort();
            return given.withFileTypes ? names.map(name => new Dirent(name, text, mapGet(each.data, name))) : names;
        },
        read(fd, buffer, offset, length, position) {
            const file = needed(fd, 'read');
            if (isFolder(file.each)) {
                throw systemError('EISDIR', 'read');
            }
            if (!file.reads) {
                throw systemError('EBADF', 'read');
            }
            const given = typeof offset === 'object' && offset !== null ? offset : {offset, length, position};
            const start = given.offset ?? 0;
            const at = typeof given.position === 'number' && given.position >= 0 ? given.position : file.at;
            const part = file.each.data.subarray(at, at + (given.length ?? buffer.byteLength - start));
            setAll(buffer, part, start);
            file.at = typeof given.position === 'number' && given.position >= 0 ? file.at : at + part.length;
            return part.length;
        },
        realpath(path) {
            const text = pathText(path);
            find(text, 'lstat');
            return '/' + partsOf(text).join('/');
        },
        rename(from, to) {
            const [source, dest] = [pathText(from, 'oldPath'), pathText(to, 'newPath')];
            const each = safely(() => find(source, 'rename'));
            if (each === undefined) {
                throw systemError('ENOENT', 'rename', source, dest);
            }
            const [parent, name] = parentOf(dest, 'rename', [source, dest]);
            const known = mapGet(parent.data, name);
            if (known !== undefined && known !== each) {
                if (isFolder(known) !== isFolder(each)) {
                    throw systemError(isFolder(known) ? 'EISDIR' : 'ENOTDIR', 'rename', source, dest);
                }
                if (isFolder(known) && known.data.size > 0) {
                    throw systemError('ENOTEMPTY', 'rename', source, dest);
                }
            }
            const [old, oldName] = parentOf(source, 'rename');
            old.data.delete(oldName);
            mapSet(parent.data, name, each);
        },
        rmdir(path, options) {
            return options?.recursive ? sync.rm(path, options) : removed(pathText(path), 'rmdir', true);
        },
        rm(path, options) {
            const text = pathText(path);
            const each = safely(() => find(text, 'lstat'));
            if (each === undefined) {
                if (options?.force) {
                    return;
                }
                throw systemError('ENOENT', 'lstat', text);
            }
            if (isFolder(each) && !options?.recursive) {
                const error = coded(Error, 'ERR_FS_EISDIR', 'Path is a directory: rm returned EISDIR (is a directory) ' + text);
                throw assign(error, {name: 'SystemError', info: {code: 'EISDIR', message: 'is a directory', path: text, syscall: 'rm', errno: 21},
                    errno: 21, syscall: 'rm', path: text});
            }
            const [parent, name] = parentOf(text, 'rm');
            parent.data.delete(name);
        },
        stat(path, options) {
            const text = pathText(path);
            const each = options?.throwIfNoEntry === false ? safely(() => find(text, 'stat')) : find(text, 'stat');
            return each === undefined ? undefined : new Stats(each);
        },
        lstat(path, options) {
            const text = pathText(path);
            const each = options?.throwIfNoEntry === false ? safely(() => find(text, 'lstat')) : find(text, 'lstat');
            return each === undefined ? undefined : new Stats(each);
        },
        truncate(path, length = 0) {
            const fd = open(pathText(path), 'r+');
            sync.ftruncate(fd, length);
            files.delete(fd);
        },
        unlink(path) {
            const text = pathText(path);
            if (isFolder(find(text, 'unlink'))) {
                throw systemError('EISDIR', 'unlink', text);
            }
            removed(text, 'unlink', false);
        },
        utimes(path, atime, mtime) {
            const each = find(pathText(path), 'utime');
            const time = value => value instanceof Date ? getTime(value) : Number(value) * 1000;
            each.times.splice(0, 2, time(atime), time(mtime));
        },
        futimes(fd, atime, mtime) {
            const {each} = needed(fd, 'futime');
            const time = value => value instanceof Date ? getTime(value) : Number(value) * 1000;
            each.times.splice(0, 2, time(atime), time(mtime));
        },
        write(fd, data, offset, length, position) {
            const file = needed(fd, 'write');
            if (typeof data === 'string') {
                return writeAt(file, bytesFor(data, length ?? 'utf8'), offset ?? null);
            }
            const bytes = bytesFor(data);
            const start = offset ?? 0;
            return writeAt(file, bytes.subarray(start, start + (length ?? bytes.length - start)), position ?? null);
        },
        writeFile(path, data, options) {
            const given = optionsOf(options, {encoding: 'utf8', flag: 'w'});
            put(path, bytesFor(data, given.encoding), given);
        },
    };
    const module = {constants: {F_OK: 0, R_OK: 4, W_OK: 2, X_OK: 1, COPYFILE_EXCL: 1, COPYFILE_FICLONE: 2, COPYFILE_FICLONE_FORCE: 4,
        O_RDONLY: 0, O_WRONLY: 1, O_RDWR: 2, O_CREAT: 64, O_EXCL: 128, O_TRUNC: 512, O_APPEND: 1024, O_SYNC: 1052672, O_SYMLINK: undefined,
        S_IFMT: 61440, S_IFREG: 32768, S_IFDIR: 16384, S_IFLNK: 40960}, Stats, Dirent, F_OK: 0, R_OK: 4, W_OK: 2, X_OK: 1};
    delete module.constants.O_SYMLINK;
    const promises = {constants: module.constants};
    const invalidCallback = value => coded(TypeError, 'ERR_INVALID_ARG_TYPE', 'The "cb" argument must be of type function. ' + received(value));
    for (const name of keys(sync)) {
        const named = (suffix, f) => defineProperty(f, 'name', {value: name + suffix, configurable: true});
        module[name + 'Sync'] = named('Sync', (...values) => sync[name](...values));
        module[name] = named('', (...values) => {
            const last = values.findLastIndex(value => typeof value === 'function');
            if (last < 0) {
                throw invalidCallback(values.length > 1 ? values.at(-1) : undefined);
            }
            const callback = values[last];
            const given = values.slice(0, last);
            let [error, value] = [null, undefined];
            try {
                value = sync[name](...given);
            } catch (caught) {
                // Errors about arguments are thrown at once, as in Node.js.
                if (caught?.syscall === undefined) {
                    throw caught;
                }
                error = caught;
            }
            globalThis.setImmediate(() => name === 'exists' ? callback(value) : error !== null ? callback(error)
                : name === 'read' || name === 'write' ? callback(null, value, given[1]) : value === undefined ? callback(null) : callback(null, value));
        });
        if (!['close', 'exists', 'fstat', 'fsync', 'ftruncate', 'futimes', 'open', 'read', 'write'].includes(name)) {
            promises[name] = named('', (...values) => new Promise((done, fail) => globalThis.setImmediate(() => {
                try {
                    done(sync[name](...values));
                } catch (error) {
                    fail(error);
                }
            })));
        }
    }
    module.realpathSync.native = module.realpathSync;
    module.realpath.native = module.realpath;
    promises.open = unavailable('fs.promises.open');
    module.promises = promises;
    return module;
};
