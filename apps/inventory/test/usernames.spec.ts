import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startInventory, type TestInventory } from './support/test-service.js';

describe('POST /api/users/users/', () => {
  let test: TestInventory;
  beforeAll(async () => {
    test = await startInventory();
  });
  afterAll(() => test.close());

  const path = '/api/users/users/';
  const user = (username: string) => ({ username, password: 'Twelve chars 1' });
  const post = (json: unknown) => test.api.post<{ id: number }>(path, { json });
  const taken = { __all__: ['A user with this username already exists.'] };

  it('rejects a name that differs from another only in letter case', async () => {
    const { body } = await post(user('Ann'));
    expect(await post(user('ANN'))).toMatchObject({ status: 400, body: taken });
    expect((await post(user('Ann'))).status).toBe(400);
    expect(await post([user('bob'), user('BOB')])).toMatchObject({ status: 400, body: [{}, taken] });
    const { body: other } = await post(user('other'));
    expect(await test.api.patch(`${path}${other.id}/`, { json: { username: 'aNN' } })).toMatchObject({
      status: 400,
      body: taken,
    });
    const renamed = await test.api.patch(`${path}${body.id}/`, { json: { username: 'ann' } });
    expect(renamed).toMatchObject({ status: 200, body: { username: 'ann' } });
  });

  it('accepts only one of several concurrent requests with the same name', async () => {
    const names = ['carl', 'Carl', 'cArl', 'caRl'];
    const responses = await Promise.all(names.map((name) => post(user(name))));
    expect(responses.map(({ status }) => status).toSorted()).toEqual([201, 400, 400, 400]);
  });

  it('lists users whose stored names differ only in letter case, without an error', async () => {
    const { database } = test.inventory;
    await database.inTransaction(async (tx) => {
      await tx.query('SET LOCAL session_replication_role = replica');
      await tx.query(`INSERT INTO users_user (username, password) VALUES ('Dora', 'x'), ('dora', 'x')`);
    });
    const found = await test.api.get<{ results: { id: number }[] }>(`${path}?username__ie=dora`);
    expect(found.body.results.length).toBe(2);
    for (const { id } of found.body.results) {
      const { status } = await test.api.patch(`${path}${id}/`, { json: { first_name: 'Dora' } });
      expect(status).toBe(200);
    }
    expect(await post(user('DORA'))).toMatchObject({ status: 400, body: taken });
  });
});
