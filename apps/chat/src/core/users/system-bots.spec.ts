import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRealmOwnerAccount } from '../../app/admin/accounts.js';
import { createRealm } from '../../app/admin/create-realm.js';
import {
  createBasicAuthorization,
  type ChatCluster,
  chatCluster,
  type ChatProcess,
} from '../../../test/chat-server.js';
import { addSystemBots, listRealmsWithoutSystemBots } from './index.js';

let cluster: ChatCluster;
let chat: ChatProcess;

beforeAll(async () => {
  cluster = await chatCluster({ withDemo: false });
  chat = await cluster.start();
  await createRealm(chat.runtime, { stringId: 'acme', name: 'Acme', host: 'chat.acme.test', description: '' });
});
afterAll(() => cluster.stop());

const owner = { realm: undefined, email: 'me@example.com', fullName: 'Me', password: 'a good password' };

async function listBots(): Promise<string[]> {
  const { rows } = await chat.runtime.database.query<{ email: string }>(
    'SELECT delivery_email AS email FROM users WHERE is_system_bot ORDER BY delivery_email',
  );
  return rows.map(({ email }) => email);
}

const allBots = ['email-gateway', 'notification-bot', 'welcome-bot'].map((name) => `${name}@chat.acme.test`);

describe('addSystemBots', () => {
  it('adds the system bots to a new organization, so that Notification Bot posts mail sent to channels', async () => {
    expect(await listBots()).toEqual(allBots);
    await createRealmOwnerAccount(chat.runtime, owner);
    const { body } = await chat.client.post<{ api_key: string }>('/api/v1/fetch_api_key', {
      form: { username: owner.email, password: owner.password },
    });
    const client = chat.client.withHeaders(createBasicAuthorization(owner.email, body.api_key));
    const { rows } = await chat.runtime.database.query<{ channel: number; bot: number }>(
      `SELECT c.id AS channel, u.id AS bot FROM channels c JOIN users u ON u.delivery_email_key LIKE 'notification-bot@%'`,
    );
    const [{ channel, bot }] = rows as [{ channel: number; bot: number }];
    const address = await client.get<{ email: string }>(`/api/v1/streams/${channel}/email_address`);
    const asBot = await client.get(`/api/v1/streams/${channel}/email_address`, { query: { sender_id: bot } });
    expect(address.body).toEqual(asBot.body);
    const { body: state } = await client.post<{ cross_realm_bots: { email: string }[] }>('/api/v1/register', {
      form: { fetch_event_types: '["realm_user"]' },
    });
    expect(state.cross_realm_bots.map(({ email }) => email).toSorted()).toEqual(allBots);
  });

  it('adds the bots of an organization once when processes start concurrently', async () => {
    await chat.runtime.database.query("DELETE FROM users WHERE is_system_bot AND delivery_email LIKE '%-bot@%'");
    expect(await listRealmsWithoutSystemBots(chat.runtime.database)).toHaveLength(1);
    await Promise.all([1, 2, 3].map(() => cluster.start()));
    expect(await listBots()).toEqual(allBots);
    expect(await listRealmsWithoutSystemBots(chat.runtime.database)).toEqual([]);
  });

  it('assigns a different email address to a bot when a user already has the address of the bot', async () => {
    const { database, apiKeys } = chat.runtime;
    await database.query(
      "UPDATE users SET is_system_bot = false, bot_type = NULL WHERE delivery_email_key LIKE 'welcome-bot@%'",
    );
    const [realmId = 0] = await listRealmsWithoutSystemBots(database);
    await database.inTransaction((tx) => addSystemBots(tx, apiKeys, realmId));
    expect(await listBots()).toEqual([...allBots.slice(0, 2), 'welcome-bot@system.chat.acme.test']);
  });
});
