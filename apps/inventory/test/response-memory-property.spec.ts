import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { InProcessApiClient } from '@switchboard/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startInventory, type TestInventory } from './support/test-service.js';
import { permittedUser } from './support/permitted-user.js';
import { InventoryProcess } from './support/start-inventory-process.js';
import { type SecondProcess, startSecondProcess } from './support/start-second-process.js';

/**
 * Duration, in milliseconds, for which the test reads and writes at random. The environment variable
 * RESPONSE_MEMORY_PROPERTY_MS sets the duration (for a long run: 600000).
 */
const DURATION_MS = Number(process.env['RESPONSE_MEMORY_PROPERTY_MS'] ?? 4000);

/** Minimum number of compared responses. On a busy machine, the comparisons take longer than DURATION_MS. */
const MIN_COMPARISONS = 50;

let test: TestInventory;
/** A separate operating system process of the service, with a response cache of its own. */
let second: InventoryProcess;
/**
 * An instance of the service without a response cache. The test compares its responses with those of the two processes.
 */
let fresh: SecondProcess;
/** API token of a user whose permissions have constraints. */
let constrained: string;
beforeAll(async () => {
  test = await startInventory();
  second = await InventoryProcess.start(test, { DATABASE_POOL_SIZE: '5', METRICS_PORT: '0' });
  fresh = await startSecondProcess(test, { RESPONSE_MEMORY_BYTES: '0' });
  for (const path of ['dcim/sites', 'dcim/manufacturers', 'tenancy/tenants', 'extras/tags']) {
    for (let n = 1; n <= 3; n += 1) await made(`/api/${path}/`, { name: `Object ${n}`, slug: `object-${n}` });
  }
  await made('/api/dcim/device-roles/', { name: 'Role', slug: 'role', color: 'ff0000' });
  await made('/api/dcim/device-types/', { manufacturer: 1, model: 'Type', slug: 'type' });
  await made('/api/extras/custom-fields/', { name: 'note', type: 'text', object_types: ['dcim.device', 'dcim.site'] });
  for (let n = 1; n <= 3; n += 1) {
    await made('/api/dcim/devices/', { name: `D${n}`, site: n, role: 1, device_type: 1, tenant: n });
    // The interfaces have the ids 1 to 6.
    for (const name of ['eth0', 'eth1']) await made('/api/dcim/interfaces/', { device: n, name, type: '1000base-t' });
  }
  await made('/api/dcim/cables/', { a_terminations: [endOf(1)], b_terminations: [endOf(4)] });
  for (let n = 0; n < 3; n += 1) await made('/api/ipam/prefixes/', { prefix: `10.${n}.0.0/16` });
  await made('/api/extras/config-contexts/', { name: 'Context', data: { a: 1 } });
  const { user } = await permittedUser(
    test,
    // The random writes change the tenants of devices, and therefore the objects that the user may view.
    { types: ['dcim.device'], actions: ['view'], constraints: { tenant__slug: 'object-2' } },
    { types: ['dcim.interface'], actions: ['view'], constraints: { device__tenant__slug: 'object-2' } },
    { types: ['dcim.site'], actions: ['view'], constraints: null },
  );
  constrained = await test.tokenOf(user);
});
afterAll(async () => {
  await Promise.all([second.kill(), fresh.close()]);
  await test.close();
});

const endOf = (interfaceId: number): object => ({ object_type: 'dcim.interface', object_id: interfaceId });

async function made(path: string, json: object): Promise<void> {
  const { status, text } = await test.api.post(path, { json });
  expect([status, text]).toEqual([201, text]);
}

const any = <T>(values: readonly T[]): T => values[randomInt(values.length)]!;
const id = (): number => randomInt(1, 4);
let written = 0;
/**
 * Returns a text that the test has never written before. If a response contains an older text, the response is
 * outdated.
 */
const text = (): string => `text ${(written += 1)}`;

const paths = [
  '/api/dcim/devices/',
  '/api/dcim/devices/?brief=true',
  '/api/dcim/devices/?tag=object-1',
  '/api/dcim/devices/?tenant=object-2&ordering=-name',
  '/api/dcim/devices/2/',
  '/api/dcim/devices/?q=text',
  '/api/dcim/interfaces/',
  '/api/dcim/interfaces/?brief=true&q=text',
  '/api/dcim/interfaces/?cabled=true&ordering=-device',
  '/api/dcim/interfaces/1/',
  '/api/dcim/sites/',
  '/api/dcim/sites/?q=text',
  '/api/dcim/sites/1/',
  '/api/dcim/cables/',
  '/api/dcim/manufacturers/',
  '/api/tenancy/tenants/',
  '/api/extras/tags/',
  '/api/extras/custom-fields/',
  '/api/ipam/prefixes/?ordering=prefix',
] as const;

/** Paths of models that the user with constraints may view. */
const constrainedPaths = paths.filter((path) => /dcim\/(devices|interfaces|sites)/.test(path));

/** Name that the last write gave to the custom field. */
let fieldName = 'note';
/** Returns a name that the custom field has never had before. */
const newFieldName = (): string => (fieldName = `note_${(written += 1)}`);

/** Sends a request as the superuser to one of the processes, and returns the text of the response. */
type SendRequest = (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, json?: object) => Promise<string>;

const sendToFirst: SendRequest = async (method, path, json) => (await test.api.request(method, path, { json })).text;
const sendToSecond: SendRequest = async (method, path, json) => (await second.send(method, path, { json })).text;

const interfaceId = (): number => randomInt(1, 7);

async function readCableIds(send: SendRequest): Promise<number[]> {
  const { results = [] } = JSON.parse(await send('GET', '/api/dcim/cables/?fields=id')) as {
    results?: { id: number }[];
  };
  return results.map(({ id: cable }) => cable);
}

/** Connects two interfaces. The service rejects the cable if an interface already has one. */
function addCable(send: SendRequest): Promise<unknown> {
  const [a, b] = [interfaceId(), interfaceId()];
  return send('POST', '/api/dcim/cables/', { a_terminations: [endOf(a)], b_terminations: [endOf(b)], label: text() });
}

/** Functions that write through the API. The test chooses one of them at random. */
const writes: readonly ((send: SendRequest) => Promise<unknown>)[] = [
  (send) => send('PATCH', `/api/dcim/devices/${id()}/`, { comments: text(), custom_fields: { [fieldName]: text() } }),
  (send) => send('PATCH', `/api/dcim/devices/${id()}/`, { site: id(), tenant: id(), description: text() }),
  (send) => send('PATCH', `/api/dcim/devices/${id()}/`, { tags: [{ slug: `object-${id()}` }], comments: text() }),
  (send) => send('PATCH', `/api/dcim/sites/${id()}/`, { name: text() }),
  (send) => send('PATCH', `/api/dcim/manufacturers/${id()}/`, { name: text() }),
  (send) => send('PATCH', `/api/tenancy/tenants/${id()}/`, { name: text() }),
  (send) => send('PATCH', `/api/extras/tags/${id()}/`, { name: text() }),
  (send) => send('PATCH', '/api/extras/config-contexts/1/', { data: { a: text() } }),
  (send) =>
    send('POST', '/api/ipam/prefixes/', {
      prefix: `10.${randomInt(3)}.${randomInt(256)}.0/24`,
      description: text(),
    }),
  (send) => send('PATCH', '/api/extras/custom-fields/1/', { label: text(), name: newFieldName() }),
  (send) => send('PATCH', `/api/dcim/interfaces/${interfaceId()}/`, { description: text() }),
  (send) => send('PATCH', `/api/dcim/interfaces/${interfaceId()}/`, { label: text(), enabled: randomInt(2) === 0 }),
  addCable,
  async (send) => {
    const [cable] = await readCableIds(send);
    if (cable !== undefined) await send('PATCH', `/api/dcim/cables/${cable}/`, { label: text() });
  },
  async (send) => {
    const [cable] = await readCableIds(send);
    if (cable !== undefined) await send('DELETE', `/api/dcim/cables/${cable}/`);
    await addCable(send);
  },
];

/**
 * Runs an SQL transaction that writes rows and is committed after a pause. About one third of the transactions, chosen
 * at random, are rolled back instead.
 */
async function writeByHand({ database }: TestInventory['inventory']): Promise<void> {
  const isRolledBack = randomInt(3) === 0;
  const work = database.inTransaction(async (tx) => {
    await tx.query('SELECT set_config($1, $2, true)', ['application_name', 'by hand']);
    const table = any(['dcim_site', 'dcim_manufacturer', 'tenancy_tenant', 'extras_tag']);
    await tx.query(`UPDATE ${table} SET description = $1 WHERE id = $2`, [text(), id()]);
    await sleep(randomInt(20));
    if (isRolledBack) throw new Error('rolled back');
  });
  await work.catch((error: unknown) => {
    if (!isRolledBack) throw error;
  });
}

/** Returns the text of a response without the scheme and host in its URLs, which differ between the processes. */
const withoutOrigin = (response: string): string =>
  response.replaceAll(/http:\/\/(?:localhost|127\.0\.0\.1)(?::\d+)?(?=\/)/g, '');

/** Numbers of responses that the two processes have sent from their caches. */
async function readHits(): Promise<{ first: number; second: number }> {
  const found = /^inventory_response_memory_requests_total\{result="hit"\} (\d+)/m.exec(await second.readMetrics());
  return { first: test.inventory.memory.metrics.hits, second: Number(found?.[1] ?? Number.NaN) };
}

describe('cached responses', () => {
  it(
    'equal uncached responses while two processes and SQL statements write',
    async () => {
      const end = performance.now() + DURATION_MS;
      const compared = { superuser: 0, constrained: 0 };
      /** Factor for the pauses between writes. The writes become rarer while most comparisons coincide with a write. */
      let pace = 1;
      const isDone = (): boolean =>
        performance.now() >= end && compared.superuser + compared.constrained >= MIN_COMPARISONS;
      const until = async (step: () => Promise<unknown>, getPauseMs: () => number): Promise<void> => {
        while (!isDone()) {
          await step();
          await sleep(randomInt(Math.ceil(getPauseMs())));
        }
      };
      const compare = async (): Promise<void> => {
        const isConstrained = randomInt(3) === 0;
        const path = any(isConstrained ? constrainedPaths : paths);
        const token = isConstrained ? constrained : test.adminToken;
        const headers = { authorization: `Bearer ${token}` };
        // Other tests check that responses correspond to the OpenAPI document.
        const readBy = async (api: InProcessApiClient): Promise<string> =>
          (await api.withHeaders(headers).get(path, { unchecked: true })).text;
        const readFresh = (): Promise<string> => {
          // Evicts the custom field definitions of this process, which may be older than those of the others.
          (fresh.inventory.shapes.customFields as unknown as { invalidateLocally(): void }).invalidateLocally();
          return readBy(fresh.api);
        };
        const before = await readFresh();
        const texts: string[] = [];
        // The second response of each process can come from its cache.
        for (let n = 0; n < 2; n += 1) {
          const found = [readBy(test.api), second.send('GET', path, { token }).then((response) => response.text)];
          texts.push(...(await Promise.all(found)));
        }
        // The cached responses can only be judged if the uncached response was the same before and after them.
        if ((await readFresh()) !== before) {
          pace = Math.min(20, pace * 1.5);
          return;
        }
        pace = Math.max(1, pace * 0.9);
        for (const one of texts) expect(withoutOrigin(one), path).toBe(withoutOrigin(before));
        compared[isConstrained ? 'constrained' : 'superuser'] += 1;
      };
      const compareSome = (): Promise<unknown> => Promise.all(Array.from({ length: 4 }, compare));
      await Promise.all([
        until(
          () => any(writes)(sendToFirst),
          () => 300 * pace,
        ),
        until(
          () => any(writes)(sendToSecond),
          () => 300 * pace,
        ),
        until(
          () => writeByHand(test.inventory),
          () => 200 * pace,
        ),
        until(compareSome, () => 4),
      ]);
      expect(compared.superuser + compared.constrained).toBeGreaterThanOrEqual(MIN_COMPARISONS);
      expect(compared.constrained).toBeGreaterThan(0);
      const hits = await readHits();
      expect(hits.first).toBeGreaterThan(0);
      expect(hits.second).toBeGreaterThan(0);
    },
    DURATION_MS + 240_000,
  );
});
