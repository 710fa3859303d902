// @ts-check
/**
 * `node tools/prisma-generate.mjs [app ...] [--root=<folder>] [--force]`: generates the Prisma clients, without network
 * access. Skips clients whose schema is unchanged.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { readPrismaClientSchema } from './prisma-client-schema.mjs';
import { parseAppNameArguments, repositoryRoot } from './prisma-workspace.mjs';

const prismaGenerateTimeoutMs = 120_000;
const prismaPackagePath = createRequire(import.meta.url).resolve('prisma/package.json');
const { version, bin } = JSON.parse(readFileSync(prismaPackagePath, 'utf8'));
const prismaCliPath = join(dirname(prismaPackagePath), bin.prisma);

/**
 * Returns the folder of an app's Prisma client, which is the value of `output` in the app's Prisma schema.
 *
 * @param {string} app
 * @param {string} root
 */
function getPrismaClientFolder(app, root) {
  return join(root, 'apps', app, 'src', 'generated', 'prisma');
}

/**
 * Runs `prisma generate` for the Prisma client of one app.
 * @param {string} app
 * @param {string} schema path of the schema
 */
function runPrismaGenerate(app, schema) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [prismaCliPath, 'generate', '--schema', schema], {
      // Outside the app, so that Prisma does not use its configuration file, which names the folder of the complete
      // schema.
      cwd: dirname(schema),
      // Without a terminal and with closed input, the CLI cannot wait for an answer.
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: prismaGenerateTimeoutMs,
      env: {
        ...process.env,
        // Generation does not use the schema engine, but the CLI downloads one unless this variable is set.
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
 * Generates the Prisma client of one app, unless the client is up to date.
 *
 * @param {string} app
 * @param {string} root
 * @param {boolean} force
 */
async function generatePrismaClient(app, root, force) {
  const folder = getPrismaClientFolder(app, root);
  // The schema is in a temporary folder, so its output path must not be relative to it.
  const schema = readPrismaClientSchema(app, root).replace(
    /^( +output += ).*$/m,
    (_, name) => name + JSON.stringify(folder),
  );
  const hash = createHash('sha256')
    .update(`${version}\0${schema.replace(folder, '')}`)
    .digest('hex');
  const stamp = join(folder, '.schema-hash');
  if (!force && existsSync(stamp) && readFileSync(stamp, 'utf8') === hash) {
    console.log(`prisma ${app}: client is up to date`);
    return;
  }
  const started = Date.now();
  rmSync(stamp, { force: true });
  const temporary = mkdtempSync(join(tmpdir(), 'switchboard-prisma-client-'));
  try {
    const file = join(temporary, 'schema.prisma');
    writeFileSync(file, schema);
    await runPrismaGenerate(app, file);
  } finally {
    rmSync(temporary, { recursive: true });
  }
  // Written last, so that the next run repeats an interrupted one.
  writeFileSync(stamp, hash);
  console.log(`prisma ${app}: client generated (${((Date.now() - started) / 1000).toFixed(1)} s)`);
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { root: { type: 'string', default: repositoryRoot }, force: { type: 'boolean', default: false } },
});

try {
  await Promise.all(
    parseAppNameArguments(positionals).map((app) => generatePrismaClient(app, values.root, values.force)),
  );
} catch (error) {
  console.error(error.message);
  process.exit(1);
}
