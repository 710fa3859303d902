import { afterEach, describe, expect, it } from 'vitest';
import { readConfig } from '../src/config.js';
import { startInventory, type TestInventory } from './support/test-service.js';

interface ListBody {
  readonly count: number;
  readonly next: string | null;
  readonly results: readonly unknown[];
}

let test: TestInventory | undefined;

afterEach(async () => {
  await test?.close();
  test = undefined;
});

/** Starts a service whose database contains five sites. */
async function start(env: Record<string, string>): Promise<TestInventory> {
  test = await startInventory(env);
  await test.api.post('/api/dcim/sites/', {
    json: ['a', 'b', 'c', 'd', 'e'].map((name) => ({ name, slug: name })),
  });
  return test;
}

/** Returns the number of sites that the response to a list request contains. */
async function shown({ api }: TestInventory, query: Record<string, number>): Promise<number> {
  const { body } = await api.get<ListBody>('/api/dcim/sites/', { query });
  expect(body.count).toBe(5);
  return body.results.length;
}

describe('page size of a list', () => {
  it('defaults to 50 with a maximum of 1000', () => {
    expect(readConfig({})).toMatchObject({ PAGINATE_COUNT: 50, MAX_PAGE_SIZE: 1000 });
  });

  it('follows PAGINATE_COUNT and MAX_PAGE_SIZE, also with limit=0', async () => {
    const service = await start({ PAGINATE_COUNT: '2', MAX_PAGE_SIZE: '3' });
    expect(await shown(service, {})).toBe(2);
    expect(await shown(service, { limit: 4 })).toBe(3);
    expect(await shown(service, { limit: 0 })).toBe(3);
  });

  it.each(['0', 'None', ''])(
    'has no maximum with MAX_PAGE_SIZE=%s, so that limit=0 returns everything',
    async (cap) => {
      const service = await start({ PAGINATE_COUNT: '2', MAX_PAGE_SIZE: cap });
      expect(await shown(service, {})).toBe(2);
      expect(await shown(service, { limit: 0 })).toBe(5);
      const { body } = await service.api.get<ListBody>('/api/dcim/sites/', { query: { limit: 0 } });
      expect(body.next).toBeNull();
    },
  );
});

describe('rate of requests', () => {
  it('has no limit by default', async () => {
    const service = await start({});
    const statuses: number[] = [];
    for (let count = 0; count < 300; count += 1) {
      statuses.push((await service.api.get('/api/dcim/sites/', { query: { limit: 1 } })).status);
    }
    expect(new Set(statuses)).toEqual(new Set([200]));
  });
});
