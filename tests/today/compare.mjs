// Compares the blocks of Scratch's machine with the list from which `compat = "today"` was made.
//
//   node compare.mjs FOLDER          prints the differences; exit code 1 if there are any
//   node compare.mjs FOLDER --write  writes the list again
//
// FOLDER is an unpacked package @scratch/scratch-vm. The list, blocks.json, contains the version of the package, the
// opcodes, and a digest of each file that defines blocks, loads projects or executes threads.
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [folder, option] = process.argv.slice(2);
if (!folder) {
    process.stderr.write('name the folder of an unpacked package\n');
    process.exit(2);
}
const list = new URL('blocks.json', import.meta.url);
const source = join(folder, 'src');

const script = /\.js$/;
const all = name => readdirSync(join(source, name)).filter(file => script.test(file)).map(file => `${name}/${file}`);
const extensions = readdirSync(join(source, 'extensions'))
    .map(name => `extensions/${name}/index.js`).filter(file => existsSync(join(source, file)));
const files = [
    ...all('blocks'), ...extensions, ...all('import'), ...all('serialization'),
    ...['execute', 'runtime', 'sequencer', 'target', 'thread'].map(name => `engine/${name}.js`),
    'sprites/rendered-target.js', 'sprites/sprite.js', 'virtual-machine.js',
];

const opcodes = new Set();
const digests = {};
for (const file of files.sort()) {
    const text = readFileSync(join(source, file), 'utf8');
    digests[file] = createHash('sha256').update(text).digest('hex');
    if (file.startsWith('blocks/')) {
        for (const [, , body] of text.matchAll(/(getPrimitives|getHats) \(\) \{([\s\S]*?)\n {4}\}/g)) {
            for (const [, opcode] of body.matchAll(/^ {12}([a-z]+_\w+):/gm)) opcodes.add(opcode);
        }
    } else if (file.startsWith('extensions/')) {
        const id = /EXTENSION_ID \(\) \{\s*return '(\w+)'/.exec(text) ?? /\bid: '(\w+)'/.exec(text);
        for (const [, name] of text.matchAll(/opcode: '(\w+)'/g)) opcodes.add(`${id?.[1]}_${name}`);
    }
}
const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
const found = { version, opcodes: [...opcodes].sort(), files: digests };
if (option === '--write') {
    writeFileSync(list, `${JSON.stringify(found, null, 1)}\n`);
    process.exit(0);
}

const known = JSON.parse(readFileSync(list, 'utf8'));
const differences = [
    ...found.opcodes.filter(opcode => !known.opcodes.includes(opcode)).map(opcode => `new opcode ${opcode}`),
    ...known.opcodes.filter(opcode => !found.opcodes.includes(opcode)).map(opcode => `opcode ${opcode} is gone`),
    ...Object.keys(found.files).filter(file => !known.files[file]).map(file => `new file ${file}`),
    ...Object.keys(known.files).filter(file => !found.files[file]).map(file => `file ${file} is gone`),
    ...Object.keys(known.files).filter(file => found.files[file] && found.files[file] !== known.files[file])
        .map(file => `file ${file} has changed`),
];
process.stdout.write(`version ${found.version}; the list was made from ${known.version}\n`);
for (const difference of differences) process.stdout.write(`${difference}\n`);
process.exit(differences.length > 0 ? 1 : 0);
