// Records the projects of the demo corpus on the original machine.
//
//   node record.js MODULES MACHINE BROWSER DEMO [PROJECT...]
//
// MODULES is a node_modules folder, MACHINE a checkout of Whisker's scratch-vm, BROWSER the path of Chromium, and
// DEMO the folder of the projects; README.md lists the versions. Writes PROJECT-SEED.json.gz next to this script.
'use strict';

const crypto = require('crypto');
const fs = require('fs');
const path = require('path');
const zlib = require('zlib');

const [modules, machine, executablePath, demo] = process.argv.slice(2, 6).map(argument => path.resolve(argument));
const from = name => require(path.join(modules, name));
const esbuild = from('esbuild');
const JSZip = from('jszip');
const puppeteer = from('puppeteer-core');

const STEPS = 900;
const SEEDS = [1, 2, 3];

// Changes to the original's sources, by file.
const CHANGES = [
    // Blocks that choose at random draw from the generator of the recording; ids do not.
    [/^src\/(blocks\/\w+|util\/(cast|math-util))\.js$/, /Math\.random\(\)/g, 'window.draw()'],
    // Loudness is measured whenever it is read. Otherwise the original would reuse a measurement in some steps,
    // because the clock has whole milliseconds.
    [/^src\/blocks\/scratch3_sensing\.js$/, 'timeSinceLoudness < this.runtime.currentStepTime', 'false'],
];

const bundle = async () => {
    const made = new Set();
    const sources = {
        name: 'sources',
        setup(build) {
            // Sounds of the music extension and the worker of unofficial extensions are not needed.
            build.onResolve({ filter: /loader/ }, ({ path: name }) => ({ path: name, namespace: 'absent' }));
            build.onLoad({ filter: /.*/, namespace: 'absent' }, () => ({ contents: 'module.exports = null' }));
            build.onLoad({ filter: /\.js$/ }, ({ path: file }) => {
                const changes = CHANGES.filter(([files]) => files.test(path.relative(machine, file)));
                const text = fs.readFileSync(file, 'utf8');
                changes.filter(([, old]) => text.match(old)).forEach(change => made.add(change));
                return { contents: changes.reduce((now, [, old, other]) => now.replace(old, other), text) };
            });
        },
    };
    const { outputFiles } = await esbuild.build({
        stdin: {
            contents: `window.Buffer = require('buffer/').Buffer;
                window.process = { env: {}, browser: true, nextTick: queueMicrotask.bind(window) };
                window.VirtualMachine = require(${JSON.stringify(path.join(machine, 'src/index.js'))});
                window.AudioEngine = require('scratch-audio');`,
            resolveDir: path.dirname(modules),
        },
        alias: { stream: 'stream-browserify' },
        bundle: true, write: false, platform: 'browser', logLevel: 'error', nodePaths: [modules],
        define: { global: 'window', 'process.env.DEBUG': 'undefined' }, plugins: [sources],
    });
    if (made.size < CHANGES.length) throw new Error('the machine is not the expected version');
    return outputFiles[0].text;
};

// What a user of the project would know: keys, possible answers, and whether the project senses loudness.
const knowledge = ({ targets }) => {
    const blocks = targets.flatMap(target => Object.values(target.blocks)).filter(block => block.opcode);
    const fields = name => blocks.filter(block => block.fields[name]).map(block => block.fields[name][0]);
    const uses = pattern => blocks.some(block => pattern.test(block.opcode));
    const literals = blocks.filter(block => /operator_(equals|gt|lt)/.test(block.opcode))
        .flatMap(block => Object.values(block.inputs)).map(input => input[1])
        .filter(Array.isArray).filter(([type]) => type < 12).map(([, value]) => String(value));
    return {
        keys: [...new Set(fields('KEY_OPTION').map(key => (key === 'any' ? 'a' : key)))].sort(),
        answers: uses(/askandwait/) ? [...new Set(literals)].sort() : [],
        hears: uses(/sensing_loud/) || fields('WHENGREATERTHANMENU').includes('LOUDNESS'),
    };
};

const zipped = folder => {
    const zip = new JSZip();
    fs.readdirSync(folder).sort().forEach(file => zip.file(file, fs.readFileSync(path.join(folder, file))));
    return zip.generateAsync({ type: 'base64' });
};

const main = async () => {
    const names = process.argv.slice(6);
    const isProject = name => fs.existsSync(path.join(demo, name, 'project.json'));
    const projects = (names.length ? names : fs.readdirSync(demo)).filter(isProject).sort();
    const scripts = [
        await bundle(),
        fs.readFileSync(path.join(modules, 'scratch-storage/dist/web/scratch-storage.js'), 'utf8'),
        fs.readFileSync(path.join(modules, 'scratch-svg-renderer/dist/web/scratch-svg-renderer.js'), 'utf8'),
        fs.readFileSync(path.join(modules, 'scratch-render/dist/web/scratch-render.js'), 'utf8'),
        fs.readFileSync(path.join(__dirname, 'page.js'), 'utf8'),
    ];
    const browser = await puppeteer.launch({
        headless: true, executablePath,
        args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader',
            '--autoplay-policy=no-user-gesture-required'],
    });
    try {
        for (const name of projects) {
            const folder = path.join(demo, name);
            const description = fs.readFileSync(path.join(folder, 'project.json'));
            const sha256 = crypto.createHash('sha256').update(description).digest('hex');
            const project = await zipped(folder);
            for (const seed of SEEDS) {
                const page = await browser.newPage();
                page.on('pageerror', error => process.stderr.write(`${name}: ${error}\n`));
                for (const content of scripts) await page.addScriptTag({ content });
                const recording = await page.evaluate(
                    (bytes, options) => window.record(bytes, options), project,
                    { name, sha256, steps: STEPS, seed, ...knowledge(JSON.parse(description)) });
                await page.close();
                const file = path.join(__dirname, `${name}-${seed}.json.gz`);
                fs.writeFileSync(file, zlib.gzipSync(`${recording}\n`, { level: 9 }));
                const { inputs, covered } = JSON.parse(recording);
                console.log(`${name}, seed ${seed}: ${inputs.length} steps with input, ` +
                    `${covered.length} blocks, ${fs.statSync(file).size} bytes`);
            }
        }
    } finally {
        await browser.close();
    }
};

main().catch(error => {
    process.stderr.write(`${error.stack}\n`);
    process.exitCode = 1;
});
