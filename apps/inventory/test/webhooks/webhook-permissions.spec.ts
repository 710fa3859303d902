import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { actionObjectModels } from '../../src/destinations/index.js';
import { eventRuleModel } from '../../src/models/extras/event-rule.js';
import { FixtureBodies } from '../support/fixture-bodies.js';
import { startInventory, type TestInventory } from '../support/test-service.js';

/** Models whose objects can make this service send a request to a URL. */
const senders = [...actionObjectModels.filter(({ methods }) => methods.list.includes('POST')), eventRuleModel];

describe('permissions of webhooks, event rules and chat destinations', () => {
  let test: TestInventory;
  beforeAll(async () => {
    test = await startInventory();
  });
  afterAll(() => test.close());

  it.each(senders.map((model) => [model.path, model] as const))(
    'include the actions create, view, change and delete: %s',
    async (path, model) => {
      const bodies = new FixtureBodies(
        test.adminId,
        async (where, body) => (await test.api.post<{ id: number }>(where, { json: body })).body.id,
      );
      const list = `/api/${path}/`;
      const json = await bodies.of(model);
      const { status, body: made } = await test.api.post<{ id: number }>(list, { json });
      expect(status).toBe(201);
      const detail = `${list}${made.id}/`;
      const before = (await test.api.get(detail)).body;
      const denied = { status: 403, body: { detail: 'You do not have permission to perform this action.' } };
      await test.asPlainUser(async (plain) => {
        expect(await plain.post(list, { json: { ...json, name: 'Mine' } })).toMatchObject(denied);
        expect(await plain.get(detail)).toMatchObject(denied);
        expect(await plain.patch(detail, { json: { name: 'Mine' } })).toMatchObject(denied);
        expect(await plain.delete(detail)).toMatchObject(denied);
      });
      expect((await test.api.get(detail)).body).toEqual(before);
    },
  );
});
