// @ts-check
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repositoryRoot } from './data-folder-paths.mjs';
import { ExplainedCommandError, runToolAndCaptureOutput } from './progress-step.mjs';
import { readRequiredPnpmVersion } from './set-up-repository.mjs';

const jestProgramPath = 'node_modules/jest/bin/jest.js';

/**
 * Returns the example for Jest in the README of the queue package: the version of Jest and the text of each file.
 * @param {string} readme
 */
function readJestExample(readme) {
  const version = /with Jest (\d+\.\d+\.\d+)/.exec(readme)?.[1];
  const config = /^```json jest\.config\.json\n([^]*?)^```/m.exec(readme)?.[1];
  const test = /^```js receipts\.test\.mjs\n([^]*?)^```/m.exec(readme)?.[1];
  if (version === undefined || config === undefined || test === undefined)
    throw new ExplainedCommandError('The README of the queue package has no complete example for Jest.');
  return { version, config, test };
}

const importLinePattern = /^import (\{.*\}) from '(.*)';\n/gm;

/**
 * Returns the CommonJS form of a test that loads its packages by `require()`.
 * @param {string} test
 */
function convertTestToRequireCalls(test) {
  return test.replaceAll(importLinePattern, "const $1 = require('$2');\n");
}

/**
 * Returns the CommonJS form of a test that loads its packages by `import()` in the function of the test.
 * @param {string} test
 */
function convertTestToImportCalls(test) {
  const imports = [...test.matchAll(importLinePattern)].filter(([, , name]) => name !== '@jest/globals');
  const loads = imports.map(([, names, name]) => `  const ${names} = await import('${name}');\n`).join('');
  const [definitions = '', body = ''] = test.replaceAll(importLinePattern, '').split(/^(?=test\()/m);
  const globals = "const { expect, test } = require('@jest/globals');\n";
  return globals + body.replace('async () => {\n', `async () => {\n${loads}${definitions}`);
}

/**
 * Runs the example for Jest in the README of the queue package, with the packed packages.
 *
 * @param {string} oldNode program of a Node in which Jest cannot load ES modules by `require()`
 * @param {string} newNode program of a Node in which it can
 * @returns {Promise<string>} what was tested
 */
export async function runReadmeExampleWithJest(oldNode, newNode) {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-jest-'));
  const { version, config, test } = readJestExample(
    readFileSync(join(repositoryRoot, 'packages/queue/README.md'), 'utf8'),
  );
  /** @type {(node: string, file: string) => Promise<string>} */
  const runJest = (node, file) =>
    runToolAndCaptureOutput(node, ['--experimental-vm-modules', jestProgramPath, file], {
      cwd: join(folder, 'service'),
    });
  try {
    await installQueuePackageWithJest(folder, version);
    writeFileSync(join(folder, 'service/jest.config.json'), config);
    writeFileSync(join(folder, 'service/receipts.test.mjs'), test);
    writeFileSync(join(folder, 'service/requiring.test.cjs'), convertTestToRequireCalls(test));
    writeFileSync(join(folder, 'service/importing.test.cjs'), convertTestToImportCalls(test));
    for (const node of [oldNode, newNode]) {
      await runJest(node, 'receipts.test.mjs');
      await runJest(node, 'importing.test.cjs');
    }
    await runJest(newNode, 'requiring.test.cjs');
    // The README says that this fails.
    const failure = await runJest(oldNode, 'requiring.test.cjs').then(() => '', String);
    if (!failure.includes('Must use import to load ES Module'))
      throw new ExplainedCommandError(`The README says that Jest cannot require the package:\n${failure}`);
    return `Jest ${version} passed the example as ES module, with import() and with require()`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Packs the queue package and its dependencies, and installs them with Jest in the folder `service`.
 *
 * @param {string} folder
 * @param {string} version of Jest
 */
async function installQueuePackageWithJest(folder, version) {
  const tarballs = join(folder, 'tarballs');
  const service = join(folder, 'service');
  mkdirSync(service);
  const packages = ['--filter-prod=@switchboard/queue...', 'pack', '--pack-destination', tarballs];
  await runToolAndCaptureOutput('npx', ['-y', `pnpm@${readRequiredPnpmVersion()}`, ...packages], {
    env: { CI: 'true' },
  });
  writeFileSync(join(service, 'package.json'), JSON.stringify({ name: 'orders', private: true }));
  const packed = readdirSync(tarballs).map((name) => join(tarballs, name));
  const options = ['--no-audit', '--no-fund', '--prefer-offline'];
  // The peer dependencies are installed with the packages.
  await runToolAndCaptureOutput('npm', ['install', ...options, ...packed, `jest@${version}`], { cwd: service });
}
