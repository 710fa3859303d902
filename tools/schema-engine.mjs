#!/usr/bin/env node
// @ts-check
/**
 * Stands in for the schema engine that Prisma's CLI downloads: `PRISMA_SCHEMA_ENGINE_BINARY=tools/schema-engine.mjs`.
 *
 * The CLI speaks to the engine in two ways, both kept here:
 * - `schema-engine --version` and `schema-engine cli <command> --datasource <json>`, answered by the exit code;
 * - JSON-RPC, one message a line over stdin and stdout, for everything else.
 *
 * `shadowDatabaseUrl` and TLS parameters of the URL are not supported: shadow databases are made beside the
 * database itself, which suits the local servers that this tool is for.
 */
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { createDatabase, openSchemaEngine, parseLocation, runOnce } from './prisma-schema-engine.mjs';

const args = process.argv.slice(2);

/**
 * Returns all values of a repeatable flag.
 * @param {string} flag
 */
function valuesOf(flag) {
  return args.flatMap((arg, index) => (arg === flag ? [args[index + 1] ?? ''] : []));
}

// Without an answer to this, `prisma version` waits for ever.
if (args.includes('--version')) {
  console.log('schema-engine-wasm');
  process.exit(0);
}

/**
 * A line of the engine's log, which the CLI reads from stderr.
 * @param {Record<string, unknown>} fields
 */
function logError(fields) {
  process.stderr.write(`\n${JSON.stringify({ level: 'ERROR', target: 'schema_engine::logger', fields })}\n`);
}

/** PostgreSQL's and node's codes as Prisma's; anything else is an access that was denied. */
const prismaCodes = { '3D000': 'P1003', '28P01': 'P1000', ECONNREFUSED: 'P1001' };

// Commands that touch no database come without a datasource.
const datasource = JSON.parse(valuesOf('--datasource')[0] ?? '{}');
const location = parseLocation(datasource.url ?? 'postgresql://nobody@127.0.0.1:1/none');

/** @param {string | undefined} command */
async function runCommand(command) {
  try {
    if (command === 'create-database') await createDatabase(location);
    else await runOnce(location);
    return 0;
  } catch (error) {
    const message = error.message || error.code;
    logError({ is_panic: false, error_code: prismaCodes[error.code] ?? 'P1010', message, meta: {} });
    return 1;
  }
}

/** @param {Record<string, unknown>} message */
function send(message) {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
}

/** @type {ReturnType<typeof openSchemaEngine> | undefined} */
let opened;

function engine() {
  opened ??= openSchemaEngine({
    location,
    datamodels: valuesOf('--datamodels').map((path) => [path, readFileSync(path, 'utf8')]),
    onPanic: (message) => logError({ is_panic: true, message }),
  });
  return opened;
}

/** Ids of the requests that we send to the CLI; far from its own, which count up from 1. */
const printRequestId = 1_000_000_000;

/**
 * @param {string} method
 * @param {unknown} params
 */
async function answer(method, params) {
  if (method === 'createDatabase') {
    await createDatabase(location);
    return { databaseName: location.database };
  }
  if (method === 'getDatabaseVersion') return (await engine()).version(params);
  const result = (await (await engine())[method](params)) ?? {};
  if (method !== 'diff') return result;
  // The native engine prints a diff by a request to the CLI; the WebAssembly one returns the text.
  if (result.stdout !== null && result.stdout !== undefined) {
    send({ id: printRequestId, method: 'print', params: { content: result.stdout } });
  }
  return { exitCode: result.exitCode, stdout: null };
}

/** @param {{ id: number, method: string, params: unknown }} request */
async function respond({ id, method, params }) {
  try {
    send({ id, result: await answer(method, params) });
  } catch (error) {
    const data = { is_panic: false, message: error?.message ?? String(error), error_code: error?.code };
    send({ id, error: { code: 4466, message: 'schema engine error', data } });
  }
}

const cli = args.indexOf('cli');
if (cli >= 0) process.exit(await runCommand(args[cli + 1]));

// One request at a time: the engine has one database connection.
let queue = Promise.resolve();
createInterface({ input: process.stdin })
  .on('line', (line) => {
    const message = JSON.parse(line);
    // Messages without a method are the CLI's answers to our prints.
    if (message.method) queue = queue.then(() => respond(message));
  })
  .on('close', () => void queue.then(() => process.exit(0)));
