import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { listenOnFreePort, reportUnregisteredTest, reserveLocalPort } from '@switchboard/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createBasicAuthorization,
  type ChatCluster,
  chatCluster,
  type ChatProcess,
  type DemoUser,
  signIn,
} from './chat-server.js';
import { registerTestEventQueue, send } from './event-queue-requests.js';
import { EventStream } from './event-stream.js';
import { createCaddyArguments, findInstalledProgram, ProxyProgram } from './run-proxy-program.js';

/** Returns `docker/Caddyfile` with the addresses of chat and of the proxy replaced by those of the test. */
function createCaddyfile(addresses: { readonly proxy: number; readonly chat: number; readonly unused: number[] }) {
  const [inventory, health] = addresses.unused;
  return readFileSync(join(import.meta.dirname, '../../../docker/Caddyfile'), 'utf8')
    .replaceAll('chat-api:9991', `127.0.0.1:${addresses.chat}`)
    .replace(/^:9991 /m, `:${addresses.proxy} `)
    .replace(/^:8000 /m, `:${inventory} `)
    .replace(/^:2020 /m, `:${health} `)
    .replaceAll('inventory-api:8000', `127.0.0.1:${inventory}`);
}

const title = 'sends each event and heartbeat of a stream at once, without compression';
const program = findInstalledProgram('caddy');
if (program === undefined) reportUnregisteredTest(`docker/Caddyfile: ${title}`);

/** Connections to chat by name, each with the program of its proxy. The first has no proxy, and runs on each machine. */
const connections = [
  { name: 'GET /api/v1/events/stream', path: undefined },
  ...(program === undefined ? [] : [{ name: 'docker/Caddyfile', path: program }]),
];

describe.each(connections)('$name', ({ path }) => {
  const proxy = path === undefined ? undefined : new ProxyProgram(path);
  let cluster: ChatCluster;
  let chat: ChatProcess;
  let hamlet: DemoUser;

  beforeAll(async () => {
    cluster = await chatCluster();
    chat = await cluster.start({ TRUST_PROXY: '1', EVENT_HEARTBEAT_MS: '500' });
    hamlet = await signIn(chat, 'hamlet');
  });
  afterAll(async () => {
    await proxy?.stop();
    await cluster.stop();
  });

  it(title, async () => {
    const { port: chatPort } = await listenOnFreePort(chat.app);
    const port = proxy === undefined ? chatPort : await reserveLocalPort();
    const unused = [await reserveLocalPort(), await reserveLocalPort()];
    await proxy?.start(createCaddyfile({ proxy: port, chat: chatPort, unused }), createCaddyArguments, port);
    const queueId = await registerTestEventQueue(hamlet, { event_types: '["message"]' });
    const url = `http://127.0.0.1:${port}/api/v1/events/stream?queue_id=${queueId}&last_event_id=-1`;
    const headers = { ...createBasicAuthorization(hamlet.email, hamlet.apiKey), 'accept-encoding': 'gzip, zstd' };
    const stream = await EventStream.open(url, headers);
    expect(stream.headers).toMatchObject({ 'content-type': 'text/event-stream; charset=utf-8' });
    expect(stream.headers['content-encoding']).toBeUndefined();
    // A proxy with a buffer would forward the first event with later ones, or when the stream ends.
    for (const count of [1, 2]) {
      const id = await send(hamlet, { type: 'direct', to: `[${hamlet.id}]` });
      const received = () => stream.events.flatMap(({ message }) => message?.id ?? []);
      await expect.poll(received, { timeout: 10_000 }).toHaveLength(count);
      expect(received().at(-1)).toBe(id);
    }
    const seen = stream.events.length;
    await expect.poll(() => stream.events.slice(seen).map(({ type }) => type)).toContain('heartbeat');
    expect(stream.isEnded).toBe(false);
    stream.close();
  });
});
