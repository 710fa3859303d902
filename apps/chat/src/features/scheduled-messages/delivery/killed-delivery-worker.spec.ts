import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { selectCases, waitFor } from '@switchboard/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type ChatCluster,
  chatCluster,
  type ChatProcess,
  type DemoUser,
  signIn,
} from '../../../../test/chat-server.js';

let cluster: ChatCluster;
let chat: ChatProcess;
let hamlet: DemoUser;

const program = fileURLToPath(new URL('../../../../dist/bundle.js', import.meta.url));

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start({ ROLE: 'api' });
  hamlet = await signIn(chat, 'hamlet');
});
afterAll(() => cluster.stop());

/** Starts a worker process that sends scheduled messages. */
function startWorker(env: Record<string, string>): { readonly ended: Promise<unknown>; kill(): void } {
  const { DATABASE_URL, REDIS_URL, REDIS_KEY_PREFIX, UPLOADS_DIR } = chat.runtime.config;
  const worker = spawn(process.execPath, [program], {
    env: {
      PATH: process.env['PATH'],
      NODE_ENV: 'test',
      ROLE: 'worker',
      PORT: '0',
      DATABASE_URL,
      REDIS_URL,
      REDIS_KEY_PREFIX,
      UPLOADS_DIR,
      ...env,
    },
    stdio: 'ignore',
  });
  return { ended: once(worker, 'exit'), kill: () => worker.kill('SIGKILL') };
}

async function scheduleDue(content: string): Promise<void> {
  const { database } = chat.runtime;
  for (let n = 0; n < 5; n += 1) {
    const message = { type: 'direct', to: JSON.stringify([hamlet.id]), content: `${content} ${n}` };
    const form = { ...message, scheduled_delivery_timestamp: '4000000000' };
    await hamlet.client.post('/api/v1/scheduled_messages', { form });
  }
  await database.query('UPDATE scheduled_messages SET deliver_at = now(), attempt_at = now()');
}

async function sent(content: string): Promise<string[]> {
  const { rows } = await chat.runtime.database.query<{ content: string }>(
    "SELECT content FROM message_texts WHERE content LIKE $1 || ' %' ORDER BY message_id",
    [content],
  );
  return rows.map((row) => row.content);
}

/** Fault points at which a worker is killed, with the number of messages that the worker has then sent. */
const faultPoints = [
  ['scheduled-messages.before-commit', 0],
  ['scheduled-messages.after-commit', 5],
] as const;

describe('DeliverScheduledMessages', () => {
  // A worker that dies before the commit leaves the state in which it began.
  it.each(selectCases(faultPoints, ([, count]) => count > 0))(
    'sends each message exactly once when a worker is killed at %s',
    async (point, count) => {
      await scheduleDue(point);
      await startWorker({ FAULT_POINT: `${point}:1` }).ended;
      expect(await sent(point)).toHaveLength(count);
      const survivor = startWorker({});
      await waitFor(
        async () => {
          const { rows } = await chat.runtime.database.query('SELECT FROM scheduled_messages');
          return rows.length === 0;
        },
        { timeoutMs: 60_000 },
      );
      survivor.kill();
      await survivor.ended;
      expect(await sent(point)).toEqual([0, 1, 2, 3, 4].map((n) => `${point} ${n}`));
    },
    180_000,
  );
});
