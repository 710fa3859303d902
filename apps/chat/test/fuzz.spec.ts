import { isLongTestRun, OpenApiContract } from '@switchboard/testing';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type ChatCluster, chatCluster, type ChatProcess, contract, signIn } from './chat-server.js';
import { componentsOf, operationsOf } from './fuzz/fuzzed-operations.js';
import { type FuzzedRequest, identities, requestTo } from './fuzz/fuzzed-requests.js';

/**
 * Number of requests per endpoint, from FUZZ_RUNS (`npm run test:fuzz` sends 500). Equal values of FUZZ_SEED produce
 * equal requests.
 */
const runs = Number(process.env['FUZZ_RUNS'] ?? '') || (isLongTestRun() ? 2 : 1);
const seed = Number(process.env['FUZZ_SEED'] ?? '') || Date.now() % 1_000_000_007;

const accounts = { owner: 'desdemona', member: 'hamlet', guest: 'polonius', bot: 'default-bot' } as const;

let cluster: ChatCluster;
let chat: ChatProcess;
let clients: Record<(typeof identities)[number], ChatProcess['client']>;

async function begin(): Promise<void> {
  cluster = await chatCluster();
  // With a short heartbeat, polls without events are answered soon.
  chat = await cluster.start({ EVENT_HEARTBEAT_MS: '100' });
  await chat.runtime.database.query('UPDATE users SET can_create_users = true, can_change_user_emails = true');
  const [owner, member, guest, bot] = await Promise.all(Object.values(accounts).map((name) => signIn(chat, name)));
  clients = {
    owner: owner!.client,
    member: member!.client,
    guest: guest!.client,
    bot: bot!.client,
    anonymous: chat.client,
  };
}

/**
 * Returns true if all test users still have the original roles, keys and accounts, which random requests can change.
 */
async function areThemselves(): Promise<boolean> {
  const roles = { owner: 100, member: 400, guest: 600, bot: 400 };
  for (const identity of ['owner', 'member', 'guest', 'bot'] as const) {
    const { body } = await clients[identity].get<{ role?: number }>('/api/v1/users/me', { unchecked: true });
    if (body.role !== roles[identity]) return false;
  }
  return true;
}

beforeAll(() => {
  console.log(`FUZZ_SEED=${seed}`);
  return begin();
});
beforeEach(async () => {
  if (await areThemselves()) return;
  await cluster.stop();
  await begin();
});
afterAll(() => cluster.stop());

const components = componentsOf(contract);
const operations = operationsOf(contract).map((one) => [`${one.method} ${one.path}`, one] as const);
const contractCheck = new OpenApiContract(contract);

async function sendRequest(method: string, { identity, url, headers, payload, ...request }: FuzzedRequest) {
  const response = await clients[identity].request<Record<string, unknown> | undefined>(request.method, url, {
    headers,
    ...(payload !== undefined && { payload }),
    unchecked: true,
  });
  const contentType = response.headers['content-type'];
  contractCheck.checkExchange({
    method,
    // Unknown parameters are sent on purpose.
    url: url.split('?', 1)[0] ?? '',
    status: response.status,
    contentType: typeof contentType === 'string' ? contentType : undefined,
    text: response.text,
  });
  return response;
}

describe('random requests to endpoints that read headers', () => {
  it('include every header that the endpoint reads', () => {
    const headers = operations.flatMap(([name, { headerParameters }]) =>
      headerParameters.map((one) => `${name}: ${one.name}`),
    );
    expect(headers.toSorted()).toEqual([
      'DELETE /api/v1/tus/{id}: Tus-Resumable',
      'GET /api/v1/events/stream: Last-Event-ID',
      'HEAD /api/v1/tus/{id}: Tus-Resumable',
      'PATCH /api/v1/tus/{id}: Tus-Resumable',
      'PATCH /api/v1/tus/{id}: Upload-Offset',
      'POST /api/v1/messages: Idempotency-Key',
      'POST /api/v1/tus: Tus-Resumable',
      'POST /api/v1/tus: Upload-Length',
      'POST /api/v1/tus: Upload-Metadata',
    ]);
  });
});

describe('random requests to POST /api/v1/messages', () => {
  it('have mostly a key of their own when they have an Idempotency-Key', () => {
    const [, operation] = operations.find(([name]) => name === 'POST /api/v1/messages')!;
    const requests = fc.sample(requestTo(operation, components), { numRuns: 200, seed: 1 });
    const keys = requests.flatMap(({ headers }) => headers['Idempotency-Key'] ?? []);
    const countRequestsOf = (key: string): number => keys.filter((other) => other === key).length;
    expect(keys.length).toBeGreaterThan(50);
    expect(keys.filter((key) => countRequestsOf(key) === 1).length).toBeGreaterThan(keys.length / 2);
    expect(countRequestsOf('by chance')).toBeGreaterThan(1);
  });
});

describe('random requests to chat', { timeout: 20_000 + runs * 1_000 }, () => {
  it.each(operations)('get a documented response: %s', async (_name, operation) => {
    await fc.assert(
      fc.asyncProperty(requestTo(operation, components), async (request) => {
        const { status, body } = await sendRequest(operation.method, request);
        expect(status).toBeLessThan(500);
        if (status !== 200 || body?.['result'] !== 'success' || request.unknown === undefined) return;
        expect(body['ignored_parameters_unsupported'] ?? []).toEqual(request.unknown);
      }),
      { numRuns: runs, seed },
    );
    // If the database rejects a value, validation should have rejected it before, even if the response is correct.
    expect(cluster.log.splice(0).filter((line) => line.includes('database rejected a value'))).toEqual([]);
  });
});
