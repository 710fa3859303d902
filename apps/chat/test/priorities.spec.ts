import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChatCluster, chatCluster, type ChatProcess, contract, type DemoUser, signIn } from './chat-server.js';

let cluster: ChatCluster;
let chat: ChatProcess;
let desdemona: DemoUser;

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start();
  desdemona = await signIn(chat, 'desdemona');
});
afterAll(() => cluster.stop());

const document = await readFile(new URL('../docs/priorities.md', import.meta.url), 'utf8');

const endpoints = [...document.matchAll(/^\| [BC] \| `([A-Z]+) (\S+)` \|/gm)].map(
  ([, method = '', path = '']) => ({ method, path }) as const,
);

const describedEndpoints = new Set(
  Object.entries(contract.paths ?? {}).flatMap(([path, operations]) =>
    Object.keys(operations ?? {}).map((method) => `${method.toUpperCase()} ${path.replaceAll(/\{[^}]*\}/g, '{}')}`),
  ),
);

describe('docs/priorities.md', () => {
  it('lists each endpoint only once', () => {
    expect(endpoints.length).toBeGreaterThan(0);
    expect(new Set(endpoints.map(({ method, path }) => `${method} ${path}`)).size).toBe(endpoints.length);
  });

  it('lists only endpoints that do not exist and respond 404', async () => {
    const there: string[] = [];
    for (const { method, path } of endpoints) {
      const isDescribed = describedEndpoints.has(`${method} /api/v1${path.replaceAll(/\{[^}]*\}/g, '{}')}`);
      const { statusCode } = await chat.app.inject({
        method: method as 'GET',
        url: `/api/v1${path.replaceAll(/\{[^}]*\}/g, '1')}`,
        headers: { authorization: `Basic ${Buffer.from(`${desdemona.email}:${desdemona.apiKey}`).toString('base64')}` },
      });
      if (isDescribed || statusCode !== 404) there.push(`${method} ${path}: ${statusCode}`);
    }
    expect(there).toEqual([]);
  });
});
