import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startInventory, type TestInventory } from './support/test-service.js';

type Json = Record<string, unknown>;

/** Number of rows that refer to each deleted object. More than DELETION_OBJECTS_MAX allows. */
const referringRows = 40;

let test: TestInventory;
beforeAll(async () => {
  test = await startInventory({ DELETION_IN_MEMORY_MAX: '5', DELETION_OBJECTS_MAX: '20' });
});
afterAll(() => test.close());

const add = async (path: string, json: Json): Promise<number> => {
  const { status, body } = await test.api.post<{ id: number }>(`/api/${path}/`, { json });
  expect([path, status]).toEqual([path, 201]);
  return body.id;
};
const count = async (path: string): Promise<number> =>
  (await test.api.get<{ count: number }>(`/api/${path}`)).body.count;

describe('DELETE of an object to which more rows without a change log refer than DELETION_OBJECTS_MAX', () => {
  it('deletes a user, whose change records and jobs remain without the user', async () => {
    const user = await add('users/users', { username: 'writer', password: 'Twelve chars 1' });
    const { database } = test.inventory;
    await database.query(
      `INSERT INTO core_objectchange (user_id, user_name, request_id, action, changed_object_type, changed_object_id, object_repr)
        SELECT $1, 'writer', gen_random_uuid(), 'update', 'dcim.site', n, '' FROM generate_series(1, $2::int) n`,
      [user, referringRows],
    );
    await database.query(
      `INSERT INTO core_job (name, user_id, job_id) SELECT 'sync', $1, gen_random_uuid() FROM generate_series(1, $2::int) n`,
      [user, referringRows],
    );
    expect((await test.api.delete(`/api/users/users/${user}/`)).status).toBe(204);
    const { body } = await test.api.get<{ count: number; results: Json[] }>(
      `/api/core/object-changes/?user_name=writer&limit=${referringRows}`,
    );
    expect(body.count).toBe(referringRows);
    expect(body.results.every((record) => record['user'] === null && record['user_name'] === 'writer')).toBe(true);
    expect(await count('core/jobs/?name=sync')).toBe(referringRows);
  });

  it('deletes a tag with its assignments', async () => {
    const tag = await add('extras/tags', { name: 'Everywhere', slug: 'everywhere' });
    const json = Array.from({ length: referringRows }, (_, n) => ({ name: `s${n}`, slug: `s${n}`, tags: [tag] }));
    expect((await test.api.post('/api/dcim/sites/', { json })).status).toBe(201);
    expect(await count(`extras/tagged-objects/?tag_id=${tag}`)).toBe(referringRows);
    expect((await test.api.delete(`/api/extras/tags/${tag}/`)).status).toBe(204);
    expect(await count('extras/tagged-objects/')).toBe(0);
    expect(await count('dcim/sites/')).toBe(referringRows);
  });

  it('deletes an event rule, and retains its deliveries', async () => {
    const webhook = await add('extras/webhooks', { name: 'hook', payload_url: 'https://example.com/' });
    const rule = await add('extras/event-rules', {
      name: 'rule',
      object_types: ['dcim.rack'],
      event_types: ['object_created'],
      action_type: 'webhook',
      action_object_type: 'extras.webhook',
      action_object_id: webhook,
    });
    await test.inventory.database.query(
      `INSERT INTO webhook_deliveries (event, object_type, object_id, payload, action_object_id, event_rule_id)
        SELECT 'created', 'dcim.rack', n, '{}', $1, $2 FROM generate_series(1, $3::int) n`,
      [webhook, rule, referringRows],
    );
    expect((await test.api.delete(`/api/extras/event-rules/${rule}/`)).status).toBe(204);
    expect(await count('extras/webhook-deliveries/')).toBe(referringRows);
  });
});

describe('DELETE of an object to which more objects refer than DELETION_OBJECTS_MAX', () => {
  it('responds 400 with the number of objects that count', async () => {
    const tag = await add('extras/tags', { name: 'Rarely', slug: 'rarely' });
    const region = await add('dcim/regions', { name: 'Region', slug: 'region', tags: [tag] });
    const json = Array.from({ length: referringRows }, (_, n) => ({
      name: `r${n}`,
      slug: `r${n}`,
      region,
      tags: [tag],
    }));
    expect((await test.api.post('/api/dcim/sites/', { json })).status).toBe(201);
    const { status, body } = await test.api.delete<{ detail: string }>(`/api/dcim/regions/${region}/`);
    expect([status, body.detail]).toEqual([
      400,
      expect.stringContaining(`change ${referringRows + 1} objects in total`),
    ]);
    expect(await count(`dcim/sites/?region_id=${region}`)).toBe(referringRows);
  });
});
