// The module `os`, with fixed values for a Linux system.
const SIGNALS = ['SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGILL', 'SIGTRAP', 'SIGABRT', 'SIGIOT', 'SIGBUS', 'SIGFPE', 'SIGKILL', 'SIGUSR1', 'SIGSEGV', 'SIGUSR2',
    'SIGPIPE', 'SIGALRM', 'SIGTERM'];
const osModule = () => {
    const signals = create(null);
    SIGNALS.forEach((name, index) => signals[name] = index < 6 ? index + 1 : index);
    assign(signals, {SIGCHLD: 17, SIGSTKFLT: 16, SIGCONT: 18, SIGSTOP: 19, SIGTSTP: 20, SIGTTIN: 21, SIGTTOU: 22, SIGURG: 23, SIGXCPU: 24,
        SIGXFSZ: 25, SIGVTALRM: 26, SIGPROF: 27, SIGWINCH: 28, SIGIO: 29, SIGPOLL: 29, SIGPWR: 30, SIGSYS: 31});
    const priority = assign(create(null), {PRIORITY_LOW: 19, PRIORITY_BELOW_NORMAL: 10, PRIORITY_NORMAL: 0, PRIORITY_ABOVE_NORMAL: -7,
        PRIORITY_HIGH: -14, PRIORITY_HIGHEST: -20});
    const fixed = value => {
        const f = () => value;
        defineProperty(f, Symbol.toPrimitive, {value: f, configurable: true});
        return f;
    };
    const constants = assign(create(null), {UV_UDP_REUSEADDR: 4, signals, priority});
    lazilyUnavailable(constants, 'errno', 'os.constants.errno');
    lazilyUnavailable(constants, 'dlopen', 'os.constants.dlopen');
    return {EOL: '\n', devNull: '/dev/null', platform: fixed('linux'), type: fixed('Linux'), tmpdir: fixed('/tmp'), homedir: () => '/root',
        endianness: fixed('LE'), constants};
};
const lazilyUnavailable = (owner, name, full) => defineProperty(owner, name, {get: () => unavailable(full), enumerable: true, configurable: true});
