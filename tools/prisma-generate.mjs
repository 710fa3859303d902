// @ts-check
/**
 * `node tools/prisma-generate.mjs [app ...] [--root=<folder>] [--force]`: generates the Prisma clients, offline.
 * Unchanged clients are skipped.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { chosenApps, readSchema, repository, schemaFolder } from './prisma-workspace.mjs';

const timeoutMs = 120_000;
const prismaPackage = createRequire(import.meta.url).resolve('prisma/package.json');
const { version, bin } = JSON.parse(readFileSync(prismaPackage, 'utf8'));
const prismaCli = join(dirname(prismaPackage), bin.prisma);

/**
 * Returns the folder of the client of `app`, as its schema's `output` says.
 * @param {string} app
 * @param {string} root
 */
function clientFolder(app, root) {
  return join(root, 'apps', app, 'src', 'generated', 'prisma');
}

/**
 * @param {string} app
 * @param {string} root
 */
function schemaHash(app, root) {
  const hash = createHash('sha256').update(version);
  for (const { path, content } of readSchema(app, root)) hash.update(`\0${path}\0${content}`);
  return hash.digest('hex');
}

/**
 * @param {string} app
 * @param {string} root
 */
function runPrisma(app, root) {
  const config = join(schemaFolder(app, root), 'prisma.config.ts');
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [prismaCli, 'generate', '--config', config], {
      cwd: root,
      // Without a terminal and with its input closed, the CLI cannot wait for an answer that nobody gives.
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: timeoutMs,
      env: {
        ...process.env,
        // Generating asks the engine for nothing, yet the CLI downloads it unless it is told of one.
        PRISMA_SCHEMA_ENGINE_BINARY: fileURLToPath(new URL('schema-engine.mjs', import.meta.url)),
        PRISMA_HIDE_UPDATE_MESSAGE: '1',
        CHECKPOINT_DISABLE: '1',
      },
    });
    let output = '';
    child.stdout.on('data', (chunk) => (output += chunk));
    child.stderr.on('data', (chunk) => (output += chunk));
    child.on('error', reject);
    child.on('close', (code, signal) => {
      if (code === 0) resolve(undefined);
      else reject(new Error(`prisma generate ended with ${signal ?? `code ${code}`} for ${app}:\n${output.trim()}`));
    });
  });
}

/**
 * @param {string} app
 * @param {string} root
 * @param {boolean} force
 */
async function generate(app, root, force) {
  const hash = schemaHash(app, root);
  const stamp = join(clientFolder(app, root), '.schema-hash');
  if (!force && existsSync(stamp) && readFileSync(stamp, 'utf8') === hash) {
    console.log(`prisma ${app}: client is up to date`);
    return;
  }
  const started = Date.now();
  rmSync(stamp, { force: true });
  await runPrisma(app, root);
  // Written last, so that a run that was killed is seen as not done.
  writeFileSync(stamp, hash);
  console.log(`prisma ${app}: client generated (${((Date.now() - started) / 1000).toFixed(1)} s)`);
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { root: { type: 'string', default: repository }, force: { type: 'boolean', default: false } },
});

try {
  await Promise.all(chosenApps(positionals).map((app) => generate(app, values.root, values.force)));
} catch (error) {
  console.error(error.message);
  process.exit(1);
}
