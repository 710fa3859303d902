import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';

const undefinedDatabase = '3D000';
/** Both mean that another process was faster: one is the check, the other the race past it. */
const alreadyCreated = new Set(['42P04', '23505']);
/** Somebody is connected to the template, or copies it. */
const objectInUse = '55006';
const createAttempts = 50;

function codeOf(error: unknown): unknown {
  return error instanceof Error ? Reflect.get(error, 'code') : undefined;
}

async function open(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, application_name: 'switchboard migrations', keepAlive: true });
  // A lost connection shows as the error of the query under way; the event alone must not end the process.
  client.on('error', () => {});
  await client.connect();
  return client;
}

async function createDatabase(url: string): Promise<void> {
  const maintenance = new URL(url);
  const name = decodeURIComponent(maintenance.pathname.slice(1));
  maintenance.pathname = '/postgres';
  const client = await open(maintenance.href);
  try {
    for (let attempt = 1; ; attempt += 1) {
      try {
        await client.query(`CREATE DATABASE ${pg.escapeIdentifier(name)}`);
        return;
      } catch (error) {
        const code = codeOf(error);
        if (typeof code === 'string' && alreadyCreated.has(code)) return;
        if (code !== objectInUse || attempt >= createAttempts) throw error;
      }
      await delay(100);
    }
  } finally {
    await client.end();
  }
}

/** Connects; undefined when the database does not exist. */
export async function connectIfExists(url: string): Promise<pg.Client | undefined> {
  try {
    return await open(url);
  } catch (error) {
    if (codeOf(error) === undefinedDatabase) return undefined;
    throw error;
  }
}

/** Connects, creating the database when it does not exist. */
export async function connectOrCreate(url: string, log: (line: string) => void): Promise<pg.Client> {
  const client = await connectIfExists(url);
  if (client) return client;
  log('Creating the database');
  await createDatabase(url);
  return open(url);
}
