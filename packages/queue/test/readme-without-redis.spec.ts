import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ClientEvent, RegisteredEventQueue } from '../src/index.js';
import { testPool, until } from './queue-test-support.js';

/** Exports of the example in the section "Without Redis". */
interface ExampleService {
  addNote(text: string): Promise<number>;
  register(owner: string): Promise<RegisteredEventQueue<{ id: number; text: string }[]>>;
  poll(owner: string, queueId: string, lastEventId: number): Promise<ClientEvent[]>;
  stop(): Promise<void>;
}

let pool: pg.Pool;
let drop: () => Promise<void>;
let folder: string;

beforeAll(async () => {
  ({ pool, drop } = await testPool({ checksPrefix: true }));
  folder = await mkdtemp(join(import.meta.dirname, '../node_modules/.readme-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true });
  await drop();
});

/** Starts the service of the example on the test's database. */
async function startExample(name: string): Promise<ExampleService> {
  const readme = await readFile(fileURLToPath(new URL('../README.md', import.meta.url)), 'utf8');
  const [, section = ''] = readme.split('\n## Without Redis\n');
  const [, example = ''] = /^```ts\n([^]*?)^```/m.exec(section) ?? [];
  const code = example
    .replace('postgres://localhost/notes', pool.options.connectionString ?? '')
    .replace("'@switchboard/queue'", `'${join(import.meta.dirname, '../src/index.ts')}'`);
  const file = join(folder, name);
  await writeFile(file, code);
  return (await import(/* @vite-ignore */ file)) as ExampleService;
}

describe('the example of the README without Redis', () => {
  it('dispatches outbox messages and delivers events, also to clients of its former process', async () => {
    const first = await startExample('first.ts');
    await first.addNote('one');
    const { queueId, snapshot } = await first.register('ann');
    expect(snapshot).toEqual([{ id: 1, text: 'one' }]);
    const polled = first.poll('ann', queueId, -1);
    await first.addNote('two words');
    expect(await polled).toEqual([{ id: 100, type: 'note', noteId: 2, text: 'two words' }]);
    await until(async () => (await pool.query('SELECT FROM words')).rows.length === 2);
    await first.addNote('three');
    await first.stop();

    const second = await startExample('second.ts');
    expect(await second.poll('ann', queueId, 100)).toMatchObject([{ id: 200, noteId: 3 }]);
    await until(async () => (await pool.query('SELECT FROM words')).rows.length === 3);
    await second.stop();
  });
});
