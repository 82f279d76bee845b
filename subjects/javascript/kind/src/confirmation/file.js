// Executes the text of a file of tests as if the file existed at its path. `replaceTyped` is defined before this text.
'use strict';
const fs = require('node:fs');
const modules = require('node:module');
const { dirname } = require('node:path');
const { pathToFileURL } = require('node:url');
const job = JSON.parse(fs.readFileSync(0, 'utf8'));
replaceTyped(job);
process.argv[1] = job.path;
// Results are reported late, so a test that blocks is identified by its number.
let begun = 0;
require('node:test').beforeEach(() => {
  fs.writeSync(1, `\n${job.token} [${begun++}]\n`);
});
if (job.in_module) {
  const url = pathToFileURL(job.path).href;
  const hooks = `
    let file;
    export const initialize = data => { file = data; };
    export const resolve = (request, context, next) =>
      request === file.url ? { url: request, shortCircuit: true } : next(request, context);
    export const load = (url, context, next) =>
      url === file.url ? { format: 'module', source: file.text, shortCircuit: true } : next(url, context);
  `;
  modules.register('data:text/javascript,' + encodeURIComponent(hooks), { data: { url, text: job.text } });
  import(url);
} else {
  const module = new modules(job.path);
  module.filename = job.path;
  module.paths = modules._nodeModulePaths(dirname(job.path));
  module._compile(job.text, job.path);
}
