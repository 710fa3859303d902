import { waitFor } from '@switchboard/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openWebhookDelivery, type WebhookDeliveryService } from '../../src/webhooks/index.js';
import { ChatProcess } from '../support/start-chat-process.js';
import { startInventory, type TestInventory } from '../support/test-service.js';

interface Message {
  readonly subject: string;
  readonly content: string;
  readonly sender_full_name: string;
}

let chat: ChatProcess;
let test: TestInventory;
let webhooks: WebhookDeliveryService;
/** Email address and API key of a user who can read the channel of the test. */
let reader: string;
let destination: number;

beforeAll(async () => {
  [chat, test] = await Promise.all([ChatProcess.start(), startInventory({ WEBHOOK_ALLOW_LOOPBACK: 'true' })]);
  webhooks = openWebhookDelivery(test.inventory);
  await test.inventory.outbox.start('all');
  webhooks.start('all');
  const { email, api_key: key } = await chat.call('POST', 'dev_fetch_api_key', { username: 'iago@example.com' });
  reader = `${String(email)}:${String(key)}`;
  const bot = await chat.call('POST', 'bots', { account: reader, full_name: 'Network', short_name: 'network' });
  const added = await test.api.post<{ id: number }>('/api/extras/chat-destinations/', {
    json: {
      name: 'Team',
      server_url: chat.url,
      bot_email: 'network-bot@example.com',
      bot_key: bot['api_key'],
      channel: 'Denmark',
      topic_template: 'site {{ data.name }}',
    },
  });
  destination = added.body.id;
  await test.api.post('/api/extras/event-rules/', {
    json: {
      name: 'tell the team',
      object_types: ['dcim.site'],
      event_types: ['object_created', 'object_updated', 'object_deleted'],
      action_type: 'chat',
      action_object_type: 'extras.chatdestination',
      action_object_id: destination,
    },
  });
});
afterAll(async () => {
  await test.inventory.outbox.stop();
  await webhooks.stop();
  await Promise.all([test.close(), chat.stop()]);
});

/** Returns the messages that the channel of the test contains under a topic. */
async function messagesOf(topic: string): Promise<readonly Message[]> {
  const narrow = JSON.stringify([
    { operator: 'channel', operand: 'Denmark' },
    { operator: 'topic', operand: topic },
  ]);
  const window = { anchor: 'newest', num_before: '10', num_after: '0', apply_markdown: 'false' };
  const { messages } = await chat.call('GET', 'messages', { account: reader, narrow, ...window });
  return messages as readonly Message[];
}

describe("webhook of the inventory to chat's integration `netbox`", () => {
  it('creates a readable message for each change of a prefix', async () => {
    const bot = await chat.call('POST', 'bots', {
      account: reader,
      full_name: 'Inventory',
      short_name: 'inventory',
      bot_type: '2',
      config_data: JSON.stringify({ webhook_secret: 'open sesame' }),
    });
    const webhook = async (name: string, secret: string): Promise<void> => {
      const url = `${chat.url}/api/v1/external/netbox?api_key=${String(bot['api_key'])}&stream=Denmark`;
      const added = await test.api.post<{ id: number }>('/api/extras/webhooks/', {
        json: { name, payload_url: url, secret },
      });
      await test.api.post('/api/extras/event-rules/', {
        json: {
          name,
          object_types: ['ipam.prefix'],
          event_types: ['object_created', 'object_updated', 'object_deleted'],
          action_type: 'webhook',
          action_object_type: 'extras.webhook',
          action_object_id: added.body.id,
        },
      });
    };
    await webhook('chat', 'open sesame');
    await webhook('forged', 'another secret');
    const { body: site } = await test.api.post<{ id: number }>('/api/dcim/sites/', {
      json: { name: 'AMS1', slug: 'ams1' },
    });
    const { body: prefix } = await test.api.post<{ id: number }>('/api/ipam/prefixes/', {
      json: { prefix: '10.30.0.0/16' },
    });
    await test.api.patch(`/api/ipam/prefixes/${prefix.id}/`, {
      json: { status: 'reserved', description: '@**all**', scope_type: 'dcim.site', scope_id: site.id },
    });
    await test.api.delete(`/api/ipam/prefixes/${prefix.id}/`);
    const messages = await waitFor(
      async () => {
        const found = await messagesOf('Prefix 10.30.0.0/16');
        return found.length < 3 ? null : found;
      },
      { what: 'three messages' },
    );
    const [created, updated, deleted] = messages.map(({ content }) => content);
    expect(created).toMatch(/^\*\*root\*\* created prefix \[?\*{0,2}10\.30\.0\.0\/16/);
    expect(updated).toContain('* **Status**: active → reserved');
    expect(updated).toContain('* **Description**: none → @\u200B**all**');
    expect(deleted).toBe('**root** deleted prefix **10.30.0.0/16**.');
    const refused = await waitFor(
      async () => {
        const { rows } = await test.inventory.database.query<{ response_status: number }>(
          `SELECT response_status FROM webhook_deliveries WHERE response_status = 400`,
        );
        return rows.length > 0 ? rows : null;
      },
      { what: 'refused deliveries' },
    );
    expect(refused.length).toBeGreaterThan(0);
  });
});

describe("chat destination on Switchboard's chat service", () => {
  it('receives each change of a site as a message of the bot, in order', async () => {
    const { body: site } = await test.api.post<{ id: number }>('/api/dcim/sites/', {
      json: { name: 'Delta @**all**', slug: 'delta' },
    });
    await test.api.patch(`/api/dcim/sites/${site.id}/`, { json: { status: 'planned' } });
    await test.api.delete(`/api/dcim/sites/${site.id}/`);
    const messages = await waitFor(
      async () => {
        const found = await messagesOf('site Delta @\u200B**all**');
        return found.length < 3 ? null : found;
      },
      { what: 'three messages' },
    );
    expect(messages.map(({ content, sender_full_name: sender }) => [sender, content])).toEqual(
      ['created', 'updated', 'deleted'].map((event) => [
        'Network',
        `**Delta @\u200B**all**** (dcim.site) was ${event} by root.`,
      ]),
    );
  });

  it('stores the error with the delivery when chat rejects an invalid message', async () => {
    await test.api.patch(`/api/extras/chat-destinations/${destination}/`, { json: { channel: 'Nowhere' } });
    await test.api.post('/api/dcim/sites/', { json: { name: 'Echo', slug: 'echo' } });
    const failed = await waitFor(
      async () => {
        const { rows } = await test.inventory.database.query<{ error: string; attempts: number }>(
          "SELECT error, attempts FROM webhook_deliveries WHERE status = 'failed'",
        );
        return rows[0];
      },
      { what: 'a failed delivery' },
    );
    expect(failed).toEqual({
      error: "Status 400 returned by the chat server: Channel 'Nowhere' does not exist",
      attempts: 1,
    });
  });
});
