import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { InjectClient } from '@switchboard/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startInventory, type TestInventory } from './support/test-service.js';
import { type SecondProcess, startSecondProcess } from './support/start-second-process.js';

/**
 * Duration, in milliseconds, for which the test reads and writes at random. The environment variable
 * RESPONSE_MEMORY_PROPERTY_MS sets the duration (for a long run: 600000).
 */
const DURATION_MS = Number(process.env['RESPONSE_MEMORY_PROPERTY_MS'] ?? 4000);

let test: TestInventory;
let second: SecondProcess;
/**
 * A process of the service without a response cache. The test compares its responses with those of the other processes.
 */
let fresh: SecondProcess;
beforeAll(async () => {
  test = await startInventory();
  second = await startSecondProcess(test, {});
  fresh = await startSecondProcess(test, { RESPONSE_MEMORY_BYTES: '0' });
  for (const path of ['dcim/sites', 'dcim/manufacturers', 'tenancy/tenants', 'extras/tags']) {
    for (let n = 1; n <= 3; n += 1) await made(`/api/${path}/`, { name: `Object ${n}`, slug: `object-${n}` });
  }
  await made('/api/dcim/device-roles/', { name: 'Role', slug: 'role', color: 'ff0000' });
  await made('/api/dcim/device-types/', { manufacturer: 1, model: 'Type', slug: 'type' });
  await made('/api/extras/custom-fields/', { name: 'note', type: 'text', object_types: ['dcim.device', 'dcim.site'] });
  for (let n = 1; n <= 3; n += 1) await made('/api/dcim/devices/', { name: `D${n}`, site: n, role: 1, device_type: 1 });
  for (let n = 0; n < 3; n += 1) await made('/api/ipam/prefixes/', { prefix: `10.${n}.0.0/16` });
  await made('/api/extras/config-contexts/', { name: 'Context', data: { a: 1 } });
});
afterAll(async () => {
  await Promise.all([second.close(), fresh.close()]);
  await test.close();
});

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
  '/api/dcim/sites/',
  '/api/dcim/sites/1/',
  '/api/dcim/manufacturers/',
  '/api/tenancy/tenants/',
  '/api/extras/tags/',
  '/api/extras/custom-fields/',
  '/api/ipam/prefixes/?ordering=prefix',
] as const;

/** Name that the last write gave to the custom field. */
let fieldName = 'note';
/** Returns a name that the custom field has never had before. */
const newFieldName = (): string => (fieldName = `note_${(written += 1)}`);

/** Functions that write through the API. The test chooses one of them at random. */
const writes: readonly ((api: InjectClient) => Promise<unknown>)[] = [
  (api) =>
    api.patch(`/api/dcim/devices/${id()}/`, { json: { comments: text(), custom_fields: { [fieldName]: text() } } }),
  (api) => api.patch(`/api/dcim/devices/${id()}/`, { json: { site: id(), tenant: id(), description: text() } }),
  (api) => api.patch(`/api/dcim/devices/${id()}/`, { json: { tags: [{ slug: `object-${id()}` }], comments: text() } }),
  (api) => api.patch(`/api/dcim/sites/${id()}/`, { json: { name: text() } }),
  (api) => api.patch(`/api/dcim/manufacturers/${id()}/`, { json: { name: text() } }),
  (api) => api.patch(`/api/tenancy/tenants/${id()}/`, { json: { name: text() } }),
  (api) => api.patch(`/api/extras/tags/${id()}/`, { json: { name: text() } }),
  (api) => api.patch('/api/extras/config-contexts/1/', { json: { data: { a: text() } } }),
  (api) =>
    api.post('/api/ipam/prefixes/', {
      json: { prefix: `10.${randomInt(3)}.${randomInt(256)}.0/24`, description: text() },
    }),
  (api) => api.patch('/api/extras/custom-fields/1/', { json: { label: text(), name: newFieldName() } }),
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

describe('cached responses', () => {
  it(
    'equal uncached responses while two processes and SQL statements write',
    async () => {
      const end = performance.now() + DURATION_MS;
      let compared = 0;
      const hits = (): number => [test, second].reduce((sum, { inventory }) => sum + inventory.memory.metrics.hits, 0);
      // Continues until enough responses were compared, some of them cached. This may take longer on a busy machine.
      const until = async (step: () => Promise<unknown>, pauseMs: number): Promise<void> => {
        while (performance.now() < end || compared < 6 || hits() < 3) {
          await step();
          await sleep(randomInt(pauseMs));
        }
      };
      const read = async (): Promise<void> => {
        const path = any(paths);
        const readFresh = async (): Promise<string> => {
          // Evicts the custom field definitions of this process, which may be older than those of the others.
          (fresh.inventory.shapes.customFields as unknown as { invalidateLocally(): void }).invalidateLocally();
          return (await fresh.api.get(path)).text;
        };
        const before = await readFresh();
        const found = [test.api, second.api, test.api].map((api) => api.get(path).then((response) => response.text));
        const texts = await Promise.all(found);
        // The cached response can only be judged if the uncached response was the same before and after it.
        if ((await readFresh()) !== before) return;
        for (const one of texts) expect(one, path).toBe(before);
        compared += 1;
      };
      await Promise.all([
        until(() => any(writes)(test.api), 300),
        until(() => any(writes)(second.api), 300),
        until(() => writeByHand(test.inventory), 200),
        until(read, 4),
      ]);
    },
    DURATION_MS + 60_000,
  );
});
