import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { createDatabase, type Database, type DatabaseOptions, framedTransactionTransport } from '../src/index.js';

const server = process.env['TEST_POSTGRES_URL'] ?? '';

/** Returns the URL of a database of the test server that does not exist yet. */
export function scratchUrl(): string {
  const url = new URL(server);
  url.pathname = `/database_test_${randomUUID()}`;
  return url.href;
}

async function queryServer(sql: string): Promise<void> {
  const client = new pg.Client(server);
  await client.connect();
  await client.query(sql);
  await client.end();
}

function databaseNameOf(url: string): string {
  return pg.escapeIdentifier(new URL(url).pathname.slice(1));
}

/** Creates an empty database on the test server and returns its URL. */
export async function createScratchDatabase(): Promise<string> {
  const url = scratchUrl();
  await queryServer(`CREATE DATABASE ${databaseNameOf(url)}`);
  return url;
}

/** Drops a test database after disconnecting all its clients. */
export async function dropScratchDatabase(url: string): Promise<void> {
  await queryServer(`DROP DATABASE IF EXISTS ${databaseNameOf(url)} WITH (FORCE)`);
}

/** A log line of a database under test. */
export interface LogLine {
  level: 'warn' | 'error';
  message: string;
  fields: object;
}

/**
 * Opens a test database with the same transaction transport as the apps. The log lines of the database are collected in
 * `lines`.
 */
export function openWithLog<Client = unknown>(
  url: string,
  options: Partial<DatabaseOptions<Client>> = {},
): { database: Database<Client>; lines: LogLine[] } {
  const lines: LogLine[] = [];
  const log = (level: LogLine['level']) => (fields: object, message: string) => {
    lines.push({ level, message, fields });
  };
  const logger = { warn: log('warn'), error: log('error') };
  const defaults = { url, applicationName: 'test', slowQueryMs: 60_000, logger, transport: framedTransactionTransport };
  const database = createDatabase<Client>({ ...defaults, ...options });
  return { database, lines };
}

/** Returns the error with which a promise was rejected. */
export async function failureOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => undefined,
    (error: unknown) => error,
  );
}
