import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { reportUnregisteredTest } from '@switchboard/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Receiver, type ReceivedWebhookRequest } from './test-receiver.js';
import { WebhookTestEnvironment, siteChange } from './webhook-test-service.js';

type Verdict = 'verified' | 'repeated' | 'refused';

interface DocumentedReceiver {
  verifyWebhook(
    headers: ReceivedWebhookRequest['headers'],
    body: Buffer,
    options: { secret: string; handled: Set<string>; nowMs?: number },
  ): Verdict;
  verifyHookSignature(signature: string, body: Buffer, secret: string): boolean;
}

const document = new URL('../../../../docs/webhooks.md', import.meta.url);
const [former, secret] = ['former sesame', 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'];
const receiver = new Receiver();
let rig: WebhookTestEnvironment;
let folder: string;
let request: ReceivedWebhookRequest;
let inTypeScript: DocumentedReceiver;

/** Returns the example of a webhook receiver that the documentation contains for a programming language. */
async function example(language: string): Promise<string> {
  const text = await readFile(document, 'utf8');
  return new RegExp(`\`\`\`${language}\n([^]*?)\`\`\``).exec(text)?.[1] ?? '';
}

beforeAll(async () => {
  rig = await WebhookTestEnvironment.create();
  folder = await mkdtemp(join(tmpdir(), 'documented-receivers-'));
  const file = join(folder, 'receiver.ts');
  await writeFile(file, await example('ts'));
  inTypeScript = await import(pathToFileURL(file).href);
  await writeFile(join(folder, 'receiver.py'), await example('python'));

  await receiver.start();
  const id = await rig.addWebhook(receiver.url, { secret });
  const formerSecrets = [{ secret: rig.secretBox.seal(former, 'extras.webhook.secret'), rotated: Date.now() }];
  await rig.database.query('UPDATE extras_webhook SET former_secrets = $2, secret_rotated = now() WHERE id = $1', [
    id,
    JSON.stringify(formerSecrets),
  ]);
  rig.process();
  await rig.commit(siteChange({ username: 'Zoë' }));
  await rig.settled(1);
  request = receiver.requests[0]!;
});

afterAll(async () => {
  await rig.close();
  await receiver.stop();
  await rm(folder, { recursive: true, force: true });
});

interface Case {
  readonly name: string;
  readonly expected: Verdict;
  readonly headers?: Record<string, string>;
  readonly body?: string;
  readonly secret?: string;
  readonly handled?: boolean;
  readonly laterSeconds?: number;
}

const cases: readonly Case[] = [
  { name: 'takes what was sent', expected: 'verified' },
  { name: 'takes it by the former secret', expected: 'verified', secret: former },
  { name: 'knows what it has handled', expected: 'repeated', handled: true },
  { name: 'refuses what is old', expected: 'refused', laterSeconds: 400 },
  { name: 'refuses what comes from later', expected: 'refused', laterSeconds: -400 },
  { name: 'refuses another secret', expected: 'refused', secret: 'other' },
  { name: 'refuses another body', expected: 'refused', body: '{}' },
  { name: 'refuses another id', expected: 'refused', headers: { 'webhook-id': 'other' } },
  { name: 'refuses no id', expected: 'refused', headers: { 'webhook-id': '' } },
  { name: 'refuses a time that is none', expected: 'refused', headers: { 'webhook-timestamp': 'soon' } },
  { name: 'refuses no signature', expected: 'refused', headers: { 'webhook-signature': '' } },
  { name: 'refuses a signature of another kind', expected: 'refused', headers: { 'webhook-signature': 'v1,é v2,x' } },
];

/** Returns the headers and body that a test case passes to an example of a webhook receiver. */
function given(one: Case) {
  return {
    headers: { ...request.headers, ...one.headers },
    body: one.body === undefined ? request.body : Buffer.from(one.body),
    secret: one.secret ?? secret,
    handled: one.handled === true ? [String(request.headers['webhook-id'])] : [],
    nowSeconds: Number(request.headers['webhook-timestamp']) + (one.laterSeconds ?? 0),
  };
}

describe('TypeScript receiver of docs/webhooks.md', () => {
  it.each(cases)('verifies: $name', (one) => {
    const { headers, body, handled, nowSeconds, ...rest } = given(one);
    const options = { ...rest, handled: new Set(handled), nowMs: nowSeconds * 1000 };
    expect(inTypeScript.verifyWebhook(headers, body, options)).toBe(one.expected);
  });

  it('verifies the X-Hook-Signature header only with the new secret', () => {
    const signature = String(request.headers['x-hook-signature']);
    const verify = (by: string, body = request.body) => inTypeScript.verifyHookSignature(signature, body, by);
    expect([verify(secret), verify(former), verify(secret, Buffer.from('{}'))]).toEqual([true, false, false]);
  });
});

const python = 'the receiver in Python that docs/webhooks.md shows';
const run = `
import json, sys
from receiver import verify_hook_signature, verify_webhook
said = []
for c in json.load(sys.stdin):
    body = bytes.fromhex(c["body"])
    said.append([verify_webhook(c["headers"], body, c["secret"], set(c["handled"]), c["nowSeconds"]),
                 verify_hook_signature(c["headers"]["x-hook-signature"], body, c["secret"])])
print(json.dumps(said))
`;

if (spawnSync('python3', ['--version']).status === 0) {
  describe(python, () => {
    it('lets the TypeScript and Python receivers of docs/webhooks.md accept the same requests', async () => {
      const asked = cases.map((one) => {
        const { body, ...rest } = given(one);
        return { ...rest, body: body.toString('hex') };
      });
      const running = promisify(execFile)('python3', ['-c', run], { cwd: folder });
      running.child.stdin?.end(JSON.stringify(asked));
      const said: [Verdict, boolean][] = JSON.parse((await running).stdout);
      expect(said.map(([verdict]) => verdict)).toEqual(cases.map(({ expected }) => expected));
      expect(said.map(([, verified]) => verified)).toEqual(
        cases.map((one) => one.secret === undefined && one.body === undefined),
      );
    });
  });
} else {
  reportUnregisteredTest(python);
}
