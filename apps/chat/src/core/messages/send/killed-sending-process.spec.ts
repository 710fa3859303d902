import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { selectCases } from '@switchboard/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createBasicAuthorization,
  type ChatCluster,
  chatCluster,
  type ChatProcess,
  type DemoUser,
  signIn,
} from '../../../../test/chat-server.js';

let cluster: ChatCluster;
let chat: ChatProcess;
let hamlet: DemoUser;

const processes: ChildProcess[] = [];

const program = fileURLToPath(new URL('../../../../dist/bundle.js', import.meta.url));

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start();
  hamlet = await signIn(chat, 'hamlet');
});
afterAll(async () => {
  for (const process of processes) process.kill('SIGKILL');
  await cluster.stop();
});

/** Starts an API process that kills itself after the commit of the first change. */
async function startMortal(): Promise<{ readonly url: string; readonly ended: Promise<unknown> }> {
  const { DATABASE_URL, REDIS_URL, REDIS_KEY_PREFIX, UPLOADS_DIR } = chat.runtime.config;
  const environment = { DATABASE_URL, REDIS_URL, REDIS_KEY_PREFIX, UPLOADS_DIR, PATH: process.env['PATH'] };
  const started = spawn(process.execPath, [program], {
    env: { ...environment, NODE_ENV: 'test', ROLE: 'api', PORT: '0', FAULT_POINT: 'outbox.after-commit:1' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  processes.push(started);
  const ended = once(started, 'exit');
  for await (const line of createInterface(started.stdout)) {
    const { msg, url } = JSON.parse(line) as { msg?: string; url?: string };
    if (msg === 'listening' && url !== undefined) return { url, ended };
  }
  throw new Error('The process ended before it listened');
}

async function messagesWith(content: string): Promise<number[]> {
  const { rows } = await chat.runtime.database.query<{ id: number }>(
    'SELECT message_id AS id FROM message_texts WHERE content = $1',
    [content],
  );
  return rows.map(({ id }) => id);
}

type Fields = Readonly<Record<string, string>>;

/** Repeated requests: end of the test title, headers of both requests, and further fields of both requests. */
const repeatedRequests: readonly (readonly [string, Fields, Fields, Fields])[] = [
  ['with an Idempotency-Key', { 'idempotency-key': 'killed' }, { 'idempotency-key': 'killed' }, {}],
  ['with queue_id and local_id', {}, {}, { queue_id: 'queue', local_id: '1' }],
  ['with local_id, without its key', { 'idempotency-key': 'left out' }, {}, { queue_id: 'queue', local_id: '2' }],
];

describe('POST /messages to a process that is killed between the commit and the response', () => {
  // idempotent-sends.spec.ts repeats requests in each of these ways, without a kill.
  it.each(selectCases(repeatedRequests, (_, index) => index === 0))(
    'sends the message once if the request is repeated %s',
    async (content, headers, repeatedHeaders, fields) => {
      const form = { type: 'channel', to: 'Verona', topic: 'killed', content, ...fields };
      const { url, ended } = await startMortal();
      const request = fetch(`${url}/api/v1/messages`, {
        method: 'POST',
        headers: { ...createBasicAuthorization(hamlet.email, hamlet.apiKey), ...headers },
        body: new URLSearchParams(form),
      });
      await expect(request).rejects.toThrow('fetch failed');
      expect(await ended).toEqual([null, 'SIGKILL']);
      const stored = await messagesWith(content);
      expect(stored).toHaveLength(1);
      const { body } = await hamlet.client.post<{ id: number }>('/api/v1/messages', {
        form,
        headers: repeatedHeaders,
      });
      expect(body.id).toBe(stored[0]);
      expect(await messagesWith(content)).toEqual(stored);
    },
    180_000,
  );
});
