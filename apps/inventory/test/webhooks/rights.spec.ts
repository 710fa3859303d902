import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startInventory, type TestInventory } from '../support/harness.js';

/** Objects that can make this server send a request, each with one field. */
const senders = {
  webhooks: { json: { name: 'Hook', payload_url: 'http://localhost:9000/' }, field: 'payload_url' },
  'chat-destinations': {
    json: {
      name: 'Room',
      server_url: 'http://localhost:9001',
      bot_email: 'bot@example.com',
      bot_key: 'key',
      channel: 'net',
    },
    field: 'server_url',
  },
  'event-rules': {
    json: {
      name: 'Rule',
      object_types: ['dcim.site'],
      event_types: ['object_created'],
      action_type: 'webhook',
      action_object_type: 'extras.webhook',
      action_object_id: 1,
    },
    field: 'description',
  },
} as const;

describe('permissions of webhooks, event rules and chat destinations', () => {
  let test: TestInventory;
  beforeAll(async () => {
    test = await startInventory();
  });
  afterAll(() => test.close());

  it.each(Object.entries(senders))('include create, view, change and delete: %s', async (kind, sender) => {
    const path = `/api/extras/${kind}/`;
    const { status, body: made } = await test.api.post<{ id: number }>(path, { json: sender.json });
    expect(status).toBe(201);
    const detail = `${path}${made.id}/`;
    const before = (await test.api.get(detail)).body;
    const denied = { status: 403, body: { detail: 'You do not have permission to perform this action.' } };
    await test.asPlainUser(async (plain) => {
      expect(await plain.post(path, { json: { ...sender.json, name: 'Mine' } })).toMatchObject(denied);
      expect(await plain.get(detail)).toMatchObject(denied);
      expect(await plain.patch(detail, { json: { [sender.field]: 'http://x.example/' } })).toMatchObject(denied);
      expect(await plain.delete(detail)).toMatchObject(denied);
    });
    expect((await test.api.get(detail)).body).toEqual(before);
  });
});
