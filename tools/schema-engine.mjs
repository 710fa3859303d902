#!/usr/bin/env node
// @ts-check
/**
 * Program that replaces the schema engine which Prisma's CLI downloads, with
 * `PRISMA_SCHEMA_ENGINE_BINARY=tools/schema-engine.mjs`.
 *
 * Supports both ways in which the CLI calls the engine:
 * - `schema-engine --version` and `schema-engine cli <command> --datasource <json>`, with the exit code as the result;
 * - JSON-RPC, one message per line over stdin and stdout, for all other calls.
 *
 * `shadowDatabaseUrl` and TLS parameters of the URL are not supported. Shadow databases are created on the server of
 * the main database. The tool is intended for local servers only.
 */
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import {
  createEmptyDatabase,
  openPrismaSchemaEngine,
  parsePostgresUrl,
  runStatementOnNewConnection,
} from './prisma-schema-engine.mjs';

const commandLineArguments = process.argv.slice(2);

/**
 * Returns all values of a command-line flag that may be repeated.
 *
 * @param {string} flag
 */
function getCommandLineFlagValues(flag) {
  return commandLineArguments.flatMap((arg, index) => (arg === flag ? [commandLineArguments[index + 1] ?? ''] : []));
}

// Without output, `prisma version` would wait forever.
if (commandLineArguments.includes('--version')) {
  console.log('schema-engine-wasm');
  process.exit(0);
}

/**
 * Writes an error to stderr in the log format of the schema engine. Prisma's CLI reads this output.
 * @param {Record<string, unknown>} fields
 */
function logSchemaEngineError(fields) {
  process.stderr.write(`\n${JSON.stringify({ level: 'ERROR', target: 'schema_engine::logger', fields })}\n`);
}

/**
 * Prisma's error codes, by the error code of PostgreSQL or Node. Errors with other codes are reported as denied access.
 */
const prismaCodeByErrorCode = { '3D000': 'P1003', '28P01': 'P1000', ECONNREFUSED: 'P1001' };

// Commands that use no database have no datasource.
const databaseSourceOption = JSON.parse(getCommandLineFlagValues('--datasource')[0] ?? '{}');
const databaseLocation = parsePostgresUrl(databaseSourceOption.url ?? 'postgresql://nobody@127.0.0.1:1/none');

/**
 * Runs a command of the schema engine's `cli` interface. Returns the exit code of the command.
 * @param {string | undefined} command
 */
async function runSchemaEngineCliCommand(command) {
  try {
    if (command === 'create-database') await createEmptyDatabase(databaseLocation);
    else await runStatementOnNewConnection(databaseLocation);
    return 0;
  } catch (error) {
    const message = error.message || error.code;
    logSchemaEngineError({
      is_panic: false,
      error_code: prismaCodeByErrorCode[error.code] ?? 'P1010',
      message,
      meta: {},
    });
    return 1;
  }
}

/**
 * Writes a JSON-RPC message to stdout.
 * @param {Record<string, unknown>} message
 */
function writeJsonRpcMessage(message) {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
}

/** @type {ReturnType<typeof openPrismaSchemaEngine> | undefined} */
let openedSchemaEngine;

function getOrOpenSchemaEngine() {
  openedSchemaEngine ??= openPrismaSchemaEngine({
    location: databaseLocation,
    datamodels: getCommandLineFlagValues('--datamodels').map((path) => [path, readFileSync(path, 'utf8')]),
    onPanic: (message) => logSchemaEngineError({ is_panic: true, message }),
  });
  return openedSchemaEngine;
}

/**
 * Id of the requests that this engine sends to the CLI. The id is much larger than the ids of the CLI's own requests,
 * which start at 1.
 */
const rpcPrintRequestId = 1_000_000_000;

/**
 * Runs a JSON-RPC method of the schema engine. Returns the result of the method.
 * @param {string} method
 * @param {unknown} params
 */
async function runSchemaEngineMethod(method, params) {
  if (method === 'createDatabase') {
    await createEmptyDatabase(databaseLocation);
    return { databaseName: databaseLocation.database };
  }
  if (method === 'getDatabaseVersion') return (await getOrOpenSchemaEngine()).version(params);
  const result = (await (await getOrOpenSchemaEngine())[method](params)) ?? {};
  if (method !== 'diff') return result;
  // The native engine prints a diff by a request to the CLI. The WebAssembly engine returns its text.
  if (result.stdout !== null && result.stdout !== undefined) {
    writeJsonRpcMessage({ id: rpcPrintRequestId, method: 'print', params: { content: result.stdout } });
  }
  return { exitCode: result.exitCode, stdout: null };
}

/**
 * Runs the method of a JSON-RPC request, and sends a response with the result or the error.
 * @param {{ id: number, method: string, params: unknown }} request
 */
async function respondToJsonRpcRequest({ id, method, params }) {
  try {
    writeJsonRpcMessage({ id, result: await runSchemaEngineMethod(method, params) });
  } catch (error) {
    const data = { is_panic: false, message: error?.message ?? String(error), error_code: error?.code };
    writeJsonRpcMessage({ id, error: { code: 4466, message: 'schema engine error', data } });
  }
}

const cliArgumentIndex = commandLineArguments.indexOf('cli');
if (cliArgumentIndex >= 0) process.exit(await runSchemaEngineCliCommand(commandLineArguments[cliArgumentIndex + 1]));

// One request at a time, because the engine has one database connection.
let pendingJsonRpcRequests = Promise.resolve();
createInterface({ input: process.stdin })
  .on('line', (line) => {
    const message = JSON.parse(line);
    // Messages without a method are the CLI's responses to `print` requests.
    if (message.method) pendingJsonRpcRequests = pendingJsonRpcRequests.then(() => respondToJsonRpcRequest(message));
  })
  .on('close', () => void pendingJsonRpcRequests.then(() => process.exit(0)));
