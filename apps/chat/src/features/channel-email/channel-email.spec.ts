import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChatCluster, chatCluster, type ChatProcess, type DemoUser, signIn } from '../../../test/chat-server.js';

let cluster: ChatCluster;
let chat: ChatProcess;
let hamlet: DemoUser;
let cordelia: DemoUser;
const channels = new Map<string, number>();

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start();
  [hamlet, cordelia] = await Promise.all([signIn(chat, 'hamlet'), signIn(chat, 'cordelia')]);
  const { rows } = await query('SELECT id, name FROM channels');
  for (const { id, name } of rows) channels.set(String(name), Number(id));
});
afterAll(() => cluster.stop());

const query = (sql: string, values?: unknown[]) => chat.runtime.database.query(sql, values);

interface ResponseBody {
  msg: string;
  code?: string;
  email: string;
}

async function address(user: DemoUser, channel: string, form: Record<string, number> = {}): Promise<ResponseBody> {
  const path = `/api/v1/streams/${channels.get(channel) ?? 0}/email_address`;
  return (await user.client.get<ResponseBody>(path, { query: form })).body;
}

describe('GET /streams/{id}/email_address', () => {
  it('returns one email address for each pair of requester and sender', async () => {
    const own = await address(hamlet, 'Verona', { sender_id: hamlet.id });
    expect(own).toMatchObject({ msg: '' });
    expect(own.email).toMatch(/^verona\.[0-9a-z]+-[0-9a-z]+-[0-9a-z]+-[0-9a-f]{20}\.show-sender@[a-z0-9.]+$/);
    expect(own.email.split('@')[0]?.length).toBeLessThanOrEqual(64);
    expect(await address(hamlet, 'Verona', { sender_id: hamlet.id })).toEqual(own);
    const others = [
      await address(hamlet, 'Verona'),
      await address(hamlet, 'Denmark', { sender_id: hamlet.id }),
      await address(cordelia, 'Verona'),
    ];
    expect(new Set([own, ...others].map(({ email }) => email)).size).toBe(4);
  });

  it('returns a local part that mail programs accept', async () => {
    await hamlet.client.post('/api/v1/users/me/subscriptions', {
      form: { subscriptions: '[{"name": "Grüße, Welt!"}, {"name": "議論"}]' },
    });
    const { rows } = await query("SELECT id, name FROM channels WHERE name IN ('Grüße, Welt!', '議論')");
    for (const { id, name } of rows) channels.set(String(name), Number(id));
    expect((await address(hamlet, 'Grüße, Welt!')).email).toMatch(/^gr-e-welt\./);
    expect((await address(hamlet, '議論')).email).toMatch(/^[0-9a-z]+-[0-9a-z]+-[0-9a-z]+-[0-9a-f]{20}\.show-sender@/);
  });

  it('requires access to read the channel and to post in it', async () => {
    expect(await address(cordelia, 'core team')).toMatchObject({ code: 'BAD_REQUEST', msg: 'Invalid channel ID' });
    expect(await address(cordelia, 'no such channel')).toEqual(await address(cordelia, 'core team'));
    await query(
      `UPDATE channels SET can_send_message_group_id = (SELECT id FROM user_groups WHERE name = 'role:administrators')
       WHERE id = $1`,
      [channels.get('Denmark')],
    );
    expect((await address(cordelia, 'Denmark')).msg).toBe("Not authorized to send to channel 'Denmark'");
  });

  it('accepts the requester, bots of the requester and Notification Bot as sender_id', async () => {
    const { body } = await hamlet.client.post<{ user_id: number }>('/api/v1/bots', {
      form: { full_name: 'Postman', short_name: 'postman' },
    });
    expect((await address(hamlet, 'Verona', { sender_id: body.user_id })).msg).toBe('');
    for (const id of [cordelia.id, 999_999]) {
      expect((await address(hamlet, 'Verona', { sender_id: id })).msg).toBe('Invalid sender_id');
    }
    expect((await address(cordelia, 'Verona', { sender_id: body.user_id })).msg).toBe('Invalid sender_id');
  });
});
