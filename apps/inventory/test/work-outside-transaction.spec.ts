import { readdir } from 'node:fs/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { WorkOutsideTransaction } from '../src/engine/write/work-outside-transaction.js';
import { startInventory, type TestInventory } from './support/test-service.js';
import { formOf, picture } from './support/create-object-by-api.js';

/** Function that is called just before the service hashes a password or stores a file. */
let onWork = async (): Promise<void> => {};

let test: TestInventory;
/** Numbers of database connections that are in use: one number for the start of each slow operation. */
let inUse: number[];

beforeAll(async () => {
  const { getSlowWorkResult: take } = WorkOutsideTransaction.prototype;
  vi.spyOn(WorkOutsideTransaction.prototype, 'getSlowWorkResult').mockImplementation(function (
    this: WorkOutsideTransaction,
    key,
    work,
  ) {
    return take.call(this, key, async () => {
      await onWork();
      return work();
    });
  });
  test = await startInventory();
});
afterAll(async () => {
  await test.close();
  vi.restoreAllMocks();
});
beforeEach(() => {
  inUse = [];
  onWork = async () => void inUse.push(test.inventory.database.poolCounts.classes.short.inUse);
});

const user = (username: string, password = 'Long enough 1') => ({ username, password });
const files = async (): Promise<string[]> => {
  const entries = await readdir(test.inventory.config.MEDIA_ROOT, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
};
const createType = async (model: string) =>
  test.api.post(
    '/api/dcim/device-types/',
    await formOf({ manufacturer: 1, model, slug: model, front_image: picture(`${model}.png`) }),
  );

describe('write that hashes passwords or stores files', () => {
  it('occupies no connection while passwords are hashed', async () => {
    const { status } = await test.api.post('/api/users/users/', { json: [user('one'), user('two')] });
    expect([status, inUse]).toEqual([201, [0, 0]]);
    const { body } = await test.api.get<{ results: { id: number }[] }>('/api/users/users/?username=two');
    const id = body.results[0]?.id;
    expect((await test.api.patch(`/api/users/users/${id}/`, { json: { password: 'Another one 2' } })).status).toBe(200);
    expect(inUse).toEqual([0, 0, 0]);
    const signIn = { json: { username: 'two', password: 'Another one 2' }, unchecked: true } as const;
    expect((await test.api.post('/api/users/tokens/provision/', signIn)).status).toBe(201);
  });

  it('hashes no password of a rejected user', async () => {
    expect((await test.api.post('/api/users/users/', { json: user('weak', 'x') })).status).toBe(400);
    expect(inUse).toEqual([]);
  });

  it('occupies no connection while files are stored', async () => {
    await test.api.post('/api/dcim/manufacturers/', { json: { name: 'Acme', slug: 'acme' } });
    expect((await createType('box')).status).toBe(201);
    expect(inUse).toEqual([0]);
    expect(await files()).toHaveLength(1);
  });

  it('deletes the stored files when the object is rejected because of a concurrent change', async () => {
    onWork = async () => {
      onWork = async () => {};
      const taken = { manufacturer: 1, model: 'crate', slug: 'taken' };
      expect((await test.api.post('/api/dcim/device-types/', { json: taken })).status).toBe(201);
    };
    expect((await createType('crate')).status).toBe(400);
    expect(await files()).toHaveLength(1);
  });
});

describe('WorkOutsideTransaction.runWithWork', () => {
  it('runs the work inside the transaction when its input changed in every earlier run', async () => {
    const ahead = new WorkOutsideTransaction();
    let runs = 0;
    const result = await ahead.runWriteWithSlowWork(async () => {
      runs += 1;
      const taken = await ahead.getSlowWorkResult(`work ${runs}`, async () => runs);
      ahead.requireSlowWorkResults();
      return taken;
    });
    expect([result, runs]).toEqual([10, 10]);
  });
});
