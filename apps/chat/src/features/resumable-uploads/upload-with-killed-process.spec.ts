import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { fileURLToPath } from 'node:url';
import { reserveLocalPort, waitFor } from '@switchboard/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createBasicAuthorization,
  type ChatCluster,
  chatCluster,
  type ChatProcess,
  type DemoUser,
  signIn,
} from '../../../test/chat-server.js';

const program = fileURLToPath(new URL('../../../dist/bundle.js', import.meta.url));

let cluster: ChatCluster;
let chat: ChatProcess;
let hamlet: DemoUser;

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start({ ROLE: 'api' });
  hamlet = await signIn(chat, 'hamlet');
});
afterAll(() => cluster.stop());

const tus = { 'tus-resumable': '1.0.0' };
const bytes = { ...tus, 'content-type': 'application/offset+octet-stream' };

/**
 * Sends a request to the service in the test's own process. The usual test client is not used, because the test client
 * does not support binary bodies.
 */
async function send(method: 'POST' | 'PATCH' | 'HEAD' | 'GET', url: string, headers = {}, payload?: Buffer) {
  const options = { method, url, headers: { ...createBasicAuthorization(hamlet.email, hamlet.apiKey), ...headers } };
  return chat.app
    .getHttpAdapter()
    .getInstance()
    .inject({ ...options, ...(payload && { payload }) });
}

/**
 * Starts another process of the service with the same database and file storage, and waits until the process is ready.
 */
async function startProcess(): Promise<{ readonly port: number; kill(): Promise<void> }> {
  const { DATABASE_URL, REDIS_URL, REDIS_KEY_PREFIX, UPLOADS_DIR } = chat.runtime.config;
  const port = await reserveLocalPort();
  const addresses = { DATABASE_URL, REDIS_URL, REDIS_KEY_PREFIX, UPLOADS_DIR };
  const child = spawn(process.execPath, [program], {
    env: { PATH: process.env['PATH'], NODE_ENV: 'test', ROLE: 'api', PORT: String(port), ...addresses },
    stdio: 'ignore',
  });
  const ended = once(child, 'exit');
  await waitFor(
    () =>
      fetch(`http://127.0.0.1:${port}/health/ready`).then(
        ({ ok }) => ok,
        () => false,
      ),
    {
      timeoutMs: 60_000,
    },
  );
  return {
    port,
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

describe('PATCH /tus/{id}', () => {
  it('continues in another process after the process that received the bytes was killed', async () => {
    const content = randomBytes(2_500_000);
    const metadata = `filename ${Buffer.from('a.bin').toString('base64')}`;
    const headers = { ...tus, 'upload-length': String(content.length), 'upload-metadata': metadata };
    const location = String((await send('POST', '/api/v1/tus', headers)).headers['location']);
    const killed = await startProcess();
    const options = { port: killed.port, path: location, method: 'PATCH' };
    const begun = httpRequest({
      ...options,
      headers: { ...createBasicAuthorization(hamlet.email, hamlet.apiKey), ...bytes, 'upload-offset': '0' },
    });
    begun.on('error', () => undefined);
    begun.write(content.subarray(0, 1_500_000));
    const offset = async () => Number((await send('HEAD', location, tus)).headers['upload-offset']);
    await waitFor(async () => (await offset()) > 0);
    await killed.kill();
    // The process had stored a complete part of 1 MiB. The bytes after this part are lost with the process.
    const received = await offset();
    expect(received).toBe(1024 * 1024);
    const rest = await send(
      'PATCH',
      location,
      { ...bytes, 'upload-offset': `${received}` },
      content.subarray(received),
    );
    expect(rest.statusCode).toBe(200);
    const loaded = await send('GET', rest.json<{ url: string }>().url);
    expect(loaded.rawPayload.equals(content)).toBe(true);
  });
});
