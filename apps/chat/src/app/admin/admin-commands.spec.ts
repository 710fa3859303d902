import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createBasicAuthorization,
  type ChatCluster,
  chatCluster,
  type ChatProcess,
} from '../../../test/chat-server.js';
import { createRealmOwnerAccount, resetPassword, setOperatorGrantedAccountRight } from './accounts.js';
import { createRealm } from './create-realm.js';

let cluster: ChatCluster;
let chat: ChatProcess;

beforeAll(async () => {
  cluster = await chatCluster({ withDemo: false });
  chat = await cluster.start();
});
afterAll(() => cluster.stop());

const owner = { realm: undefined, email: 'Me@Example.com', fullName: 'Me', password: undefined };

describe('admin commands', () => {
  it('reject create-owner before create-realm', async () => {
    await expect(createRealmOwnerAccount(chat.runtime, owner)).rejects.toThrow('create-realm');
  });

  it('create a production organization whose owner can sign in and post, without demo data', async () => {
    await createRealm(chat.runtime, { stringId: 'acme', name: 'Acme', host: 'chat.acme.test', description: '' });
    const { password } = await createRealmOwnerAccount(chat.runtime, owner);
    const { body } = await chat.client.post<{ api_key: string; user_id: number }>('/api/v1/fetch_api_key', {
      form: { username: 'me@example.com', password },
    });
    const client = chat.client.withHeaders(createBasicAuthorization('me@example.com', body.api_key));
    const me = await client.get('/api/v1/users/me');
    expect(me.body).toMatchObject({ full_name: 'Me', is_owner: true, email: 'Me@Example.com' });
    const sent = await client.post('/api/v1/messages', {
      form: { type: 'channel', to: 'general', topic: 'first', content: 'hello' },
    });
    expect(sent.status).toBe(200);
    const ready = await chat.client.get('/health/ready', { unchecked: true });
    expect(ready.status).toBe(200);
  });

  it('reject an organization name or email address in use, an unknown account, and a weak password', async () => {
    const again = createRealm(chat.runtime, { stringId: 'acme', name: 'A', host: 'other.test', description: '' });
    await expect(again).rejects.toThrow('already');
    await expect(createRealmOwnerAccount(chat.runtime, { ...owner, email: 'me@example.com' })).rejects.toThrow(
      'already',
    );
    const nobody = { realm: undefined, email: 'nobody@example.com', password: undefined };
    await expect(resetPassword(chat.runtime, nobody)).rejects.toThrow('There is no account with the address');
    const weak = { ...nobody, email: 'me@example.com', password: 'password1' };
    await expect(resetPassword(chat.runtime, weak)).rejects.toThrow('The password is too weak.');
    await expect(resetPassword(chat.runtime, { ...nobody, realm: 'other' })).rejects.toThrow(
      'no organization with the id other',
    );
  });

  it('reset a password and grant a right', async () => {
    const account = { realm: 'acme', email: 'me@example.com' };
    const { password } = await resetPassword(chat.runtime, { ...account, password: 'a new one' });
    const { status } = await chat.client.post('/api/v1/fetch_api_key', {
      form: { username: account.email, password },
    });
    expect(status).toBe(200);
    await setOperatorGrantedAccountRight(chat.runtime, { ...account, grant: 'can_create_users', value: true });
    const { rows } = await chat.runtime.database.query('SELECT can_create_users FROM users WHERE NOT is_system_bot');
    expect(rows).toEqual([{ can_create_users: true }]);
  });

  it('emit a new owner to connected clients', async () => {
    const { database, apiKeys } = chat.runtime;
    const { rows } = await database.query<{ id: number; api_key_sealed: string }>(
      'SELECT id, api_key_sealed FROM users WHERE NOT is_system_bot',
    );
    const [first] = rows;
    const client = chat.client.withHeaders(
      createBasicAuthorization('me@example.com', apiKeys.decryptStoredApiKey(first!.id, first!.api_key_sealed)),
    );
    const { body } = await client.post<{ queue_id: string }>('/api/v1/register', {
      form: { event_types: '["realm_user"]', fetch_event_types: '[]' },
    });
    await createRealmOwnerAccount(chat.runtime, { ...owner, email: 'second@example.com', fullName: 'Second' });
    const events = await client.get('/api/v1/events', { query: { queue_id: body.queue_id, last_event_id: -1 } });
    expect(events.body).toMatchObject({
      events: [{ type: 'realm_user', op: 'add', person: { full_name: 'Second', is_owner: true } }],
    });
  });
});
