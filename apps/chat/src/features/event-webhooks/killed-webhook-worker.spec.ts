import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { selectCases, waitFor } from '@switchboard/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createBasicAuthorization,
  type ChatCluster,
  chatCluster,
  type ChatProcess,
  type DemoUser,
  signIn,
} from '../../../test/chat-server.js';
import { createWebhook, WebhookReceiver, eventWebhooksPath } from '../../../test/webhook-receiver.js';

const program = fileURLToPath(new URL('../../../dist/bundle.js', import.meta.url));

const settings = {
  EVENT_WEBHOOK_ALLOW_LOOPBACK: 'true',
  // The claim of a killed process ends after the sum of both times.
  EVENT_WEBHOOK_TIMEOUT_MS: '8000',
  EVENT_WEBHOOK_RECORD_TIMEOUT_MS: '4000',
  EVENT_WEBHOOK_RETRY_INITIAL_MS: '100',
  EVENT_WEBHOOK_SWEEP_MS: '100',
  EVENT_WEBHOOK_OVERDUE_MS: '100',
};

let cluster: ChatCluster;
/** A test process that delivers no events to webhooks. */
let chat: ChatProcess;
let iago: DemoUser;
let receiver: WebhookReceiver;
const processes: ChildProcess[] = [];

beforeAll(async () => {
  receiver = await WebhookReceiver.start();
  cluster = await chatCluster();
  chat = await cluster.start({ ...settings, ROLE: 'api' });
  iago = await signIn(chat, 'iago');
});
afterAll(async () => {
  for (const process of processes) process.kill('SIGKILL');
  await cluster.stop();
  await receiver.stop();
});

/** Starts a process that kills itself at the given fault point of the code. */
async function startMortal(role: 'all' | 'api', faultPoint: string) {
  const { DATABASE_URL, REDIS_URL, REDIS_KEY_PREFIX, UPLOADS_DIR } = chat.runtime.config;
  const environment = { DATABASE_URL, REDIS_URL, REDIS_KEY_PREFIX, UPLOADS_DIR, PATH: process.env['PATH'] };
  const started = spawn(process.execPath, [program], {
    env: { ...environment, ...settings, NODE_ENV: 'test', ROLE: role, PORT: '0', FAULT_POINT: faultPoint },
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

const deaths = [
  ['a sender that dies between the commit and the delivery', 'api', 'outbox.after-commit:1', 1],
  ['a worker that dies before it sends the request', 'all', 'delivery.before-send:1', 1],
  ['a worker that dies before it records the response', 'all', 'delivery.after-send:1', 2],
] as const;

describe('an event webhook', () => {
  // Tests of packages/webhooks and packages/queue kill a process at each of these points.
  it.each(selectCases(deaths, ([, , point]) => point === 'delivery.after-send:1'))(
    'receives the event under one delivery id from %s',
    async (_title, role, faultPoint, requests) => {
      const path = `/${faultPoint}`;
      const { id } = await createWebhook(iago, receiver.url(path), ['message']);
      const { url, ended } = await startMortal(role, faultPoint);
      const form = { type: 'channel', to: 'Verona', topic: 'killed', content: faultPoint };
      const request = {
        method: 'POST',
        headers: createBasicAuthorization(iago.email, iago.apiKey),
        body: new URLSearchParams(form),
      };
      await fetch(`${url}/api/v1/messages`, request).catch(() => undefined);
      expect(await ended).toEqual([null, 'SIGKILL']);
      const worker = await cluster.start(settings);
      const delivered = () =>
        worker.runtime.database.query(
          "SELECT 1 FROM webhooks.deliveries WHERE status = 'succeeded' AND endpoint_id = $1",
          [id],
        );
      await waitFor(async () => (await delivered()).rowCount === 1, { timeoutMs: 300_000, what: 'the delivery' });
      const received = receiver.at(path);
      // A slow machine may exceed the time limit of an attempt, which is then repeated.
      expect(received.length).toBeGreaterThanOrEqual(requests);
      expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
      await worker.stop();
      expect((await iago.client.delete(`${eventWebhooksPath}/${id}`)).status).toBe(200);
    },
    600_000,
  );
});
