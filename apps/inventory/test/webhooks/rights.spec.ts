import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startInventory, type TestInventory } from '../support/harness.js';

describe('webhooks', () => {
  let test: TestInventory;
  beforeAll(async () => {
    test = await startInventory();
  });
  afterAll(() => test.close());

  it('are made, changed and deleted by nobody who was not given the right to', async () => {
    const path = '/api/extras/webhooks/';
    const hook = { name: 'Hook', payload_url: 'http://localhost:9000/' };
    const { body: made } = await test.api.post<{ id: number }>(path, { json: hook });
    const { body: user } = await test.api.post<{ id: number }>('/api/users/users/', {
      json: { username: 'plain', password: 'Twelve chars 1' },
    });
    const plain = await test.clientOf(user.id);
    const denied = { status: 403, body: { detail: 'You do not have permission to perform this action.' } };
    expect(await plain.post(path, { json: { ...hook, name: 'Mine' } })).toMatchObject(denied);
    expect(await plain.patch(`${path}${made.id}/`, { json: { payload_url: 'http://x.example/' } })).toMatchObject(
      denied,
    );
    expect(await plain.delete(`${path}${made.id}/`)).toMatchObject(denied);
    expect((await test.api.get(`${path}${made.id}/`)).body).toMatchObject(hook);
  });
});
