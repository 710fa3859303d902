import { waitFor } from '@switchboard/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openWebhooks, type WebhookDeliveryService } from '../../src/webhooks/index.js';
import { ChatProcess } from '../support/chat-process.js';
import { startInventory, type TestInventory } from '../support/harness.js';

interface Message {
  readonly subject: string;
  readonly content: string;
  readonly sender_full_name: string;
}

let chat: ChatProcess;
let test: TestInventory;
let webhooks: WebhookDeliveryService;
/** Email address and API key of a user in the channel. */
let reader: string;
let destination: number;

beforeAll(async () => {
  [chat, test] = await Promise.all([ChatProcess.start(), startInventory({ WEBHOOK_ALLOW_LOOPBACK: 'true' })]);
  webhooks = openWebhooks(test.inventory);
  test.inventory.outbox.start('all');
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

/** Returns the messages of a topic in the channel. */
async function messagesOf(topic: string): Promise<readonly Message[]> {
  const narrow = JSON.stringify([
    { operator: 'channel', operand: 'Denmark' },
    { operator: 'topic', operand: topic },
  ]);
  const window = { anchor: 'newest', num_before: '10', num_after: '0', apply_markdown: 'false' };
  const { messages } = await chat.call('GET', 'messages', { account: reader, narrow, ...window });
  return messages as readonly Message[];
}

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
