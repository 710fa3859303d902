import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChatCluster, chatCluster, type ChatProcess } from '../../../test/chat-server.js';

let cluster: ChatCluster;
let chat: ChatProcess;

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start();
});
afterAll(() => cluster.stop());

interface State {
  queue_id: string | null;
  code: string;
  msg: string;
  streams: { name: string }[];
  subscriptions: unknown[];
  unread_msgs: { count: number };
  realm_users: { user_id: number; is_bot: boolean; delivery_email: string | null; avatar_url: string | null }[];
  realm_bots: unknown[];
}

async function register(form: Record<string, string> = {}) {
  const { status, body } = await chat.client.post<State>('/api/v1/register', { form });
  return { status, body };
}

describe('POST /register without an account', () => {
  it.each([
    ['client_gravatar', 'true'],
    ['include_subscribers', 'true'],
    ['include_subscribers', 'partial'],
  ])('rejects the parameter %s=%s', async (name, value) => {
    expect(await register({ [name]: value })).toMatchObject({
      status: 400,
      body: { code: 'BAD_REQUEST', msg: `Invalid '${name}' parameter for anonymous request` },
    });
  });

  it('responds 401 when the organization does not allow spectators', async () => {
    const { status, body } = await register({ client_gravatar: 'false', include_subscribers: 'false' });
    expect({ status, code: body.code }).toEqual({ status: 401, code: 'UNAUTHORIZED' });
  });

  it('returns web-public channels and no email addresses when spectators are allowed', async () => {
    const { database } = chat.runtime;
    const setting = `'{"enable_spectator_access": true}'::jsonb`;
    await database.query(`UPDATE realms SET settings = settings || ${setting}`);
    await database.query("UPDATE users SET email_address_visibility = 1 WHERE delivery_email LIKE 'hamlet@%'");
    const { rows } = await database.query<{ name: string }>('SELECT name FROM channels WHERE is_web_public');
    const settings = await chat.client.get('/api/v1/server_settings');
    expect(settings.body).toMatchObject({ realm_web_public_access_enabled: true });
    const { status, body } = await register();
    expect({ status, queue: body.queue_id }).toEqual({ status: 200, queue: null });
    expect(body.streams.map(({ name }) => name)).toEqual(rows.map(({ name }) => name));
    expect(body.streams.length).toBeGreaterThan(0);
    expect(body).toMatchObject({ subscriptions: [], unread_msgs: { count: 0 }, realm_bots: [] });
    const people = body.realm_users.filter((user) => !user.is_bot);
    expect(people.length).toBeGreaterThan(0);
    expect(people.every((user) => user.delivery_email === null && user.avatar_url !== null)).toBe(true);
  });

  it('returns the same users as GET /users', async () => {
    const listed = await chat.client.get<{ members: State['realm_users'] }>('/api/v1/users');
    expect(listed.status).toBe(200);
    expect(listed.body.members).toEqual((await register()).body.realm_users);
  });

  it('returns no queue_id', async () => {
    const { status } = await chat.client.get('/api/v1/events', { query: { queue_id: 'null', last_event_id: -1 } });
    expect(status).toBe(401);
  });
});
