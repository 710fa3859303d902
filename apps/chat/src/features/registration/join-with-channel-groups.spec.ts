import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChatCluster, chatCluster, type ChatProcess, type DemoUser, signIn } from '../../../test/chat-server.js';
import { Mailbox } from '../../../test/test-mailbox.js';

let cluster: ChatCluster;
let chat: ChatProcess;
let desdemona: DemoUser;
let mailbox: Mailbox;

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start();
  mailbox = new Mailbox(chat);
  desdemona = await signIn(chat, 'desdemona');
  await chat.runtime.database.query('UPDATE channels SET is_default = false');
  const form = { group_name: '<Arts>', description: '', stream_names: '["Rome"]' };
  await desdemona.client.post('/api/v1/default_stream_groups/create', { form });
});
afterAll(() => cluster.stop());

async function invitationLink(address: string, invite_as: number): Promise<string> {
  const form = { invitee_emails: address, stream_ids: '[]', invite_as: String(invite_as) };
  expect((await desdemona.client.post('/api/v1/invites', { form })).body).toMatchObject({ result: 'success' });
  return /\/join\/[0-9a-f]+\//.exec(await mailbox.newest(address, 1))?.[0] ?? '';
}

function join(link: string, default_stream_group: string) {
  const csrfmiddlewaretoken = 'a'.repeat(48);
  const form = { full_name: 'Osric', password: 'a good password', default_stream_group, csrfmiddlewaretoken };
  const headers = { cookie: `csrftoken=${csrfmiddlewaretoken}` };
  return chat.client.post(link, { form, headers, unchecked: true });
}

const option = '<option>&lt;Arts&gt;</option>';

describe('POST /join/{token}', () => {
  it('subscribes a new user to the channels of the chosen default channel group', async () => {
    const link = await invitationLink('osric@new.test', 400);
    expect((await chat.client.get(link, { unchecked: true })).text).toContain(option);
    expect((await join(link, 'Crafts')).text).toContain('Invalid default channel group Crafts');
    expect((await join(link, '<Arts>')).status).toBe(303);
    const { rows } = await chat.runtime.database.query<{ name: string }>(
      `SELECT c.name FROM subscriptions s JOIN channels c ON c.id = s.channel_id JOIN users u ON u.id = s.user_id
       WHERE u.delivery_email_key = 'osric@new.test'`,
    );
    expect(rows).toEqual([{ name: 'Rome' }]);
  });

  it('offers no default channel groups to guests', async () => {
    const link = await invitationLink('guest@new.test', 600);
    expect((await chat.client.get(link, { unchecked: true })).text).not.toContain(option);
  });
});
