import { describe, expect, it } from 'vitest';
import { startInventory } from '../support/test-service.js';

describe('write without changes', () => {
  it.each([
    ['still sends its event', {}, ['Site', 'Site']],
    ['sends none with WEBHOOK_SKIP_EMPTY_CHANGES', { WEBHOOK_SKIP_EMPTY_CHANGES: 'true' }, ['Site']],
  ])('creates no change record: %s', async (_, env, events) => {
    const test = await startInventory(env);
    try {
      const { body } = await test.api.post<{ id: number }>('/api/dcim/sites/', {
        json: { name: 'Site', slug: 'site' },
      });
      const path = `/api/dcim/sites/${body.id}/`;
      const again = await test.api.patch(path, { json: { name: 'Site' } });
      expect(again.status).toBe(200);
      const { rows } = await test.inventory.database.query<{ name: string }>(
        "SELECT payload -> 'data' ->> 'name' AS name FROM queue.outbox ORDER BY id",
      );
      expect(rows.map(({ name }) => name)).toEqual(events);
      const query = { request_id: String(again.headers['x-request-id']) };
      const log = await test.api.get<{ count: number }>('/api/core/object-changes/', { query });
      expect(log.body.count).toBe(0);
      await test.api.patch(path, { json: { name: 'Other' } });
      const left = await test.inventory.database.query('SELECT FROM queue.outbox');
      expect(left.rows).toHaveLength(events.length + 1);
    } finally {
      await test.close();
    }
  });
});
