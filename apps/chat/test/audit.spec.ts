import { randomBytes } from 'node:crypto';
import { type AuditLine, selectAuditLines, waitFor } from '@switchboard/testing';
import { SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { demoPassword } from '../src/app/demo/index.js';
import { chatAudit } from '../src/infra/audit-trail.js';
import { type ChatCluster, chatCluster, type ChatProcess, type DemoUser, signIn } from './chat-server.js';
import { Mailbox } from './test-mailbox.js';

type Json = Record<string, unknown>;

const jwtKey = 'a secret that only the portal and this server know';
const newPassword = 'correct horse battery staple';
const wrongPassword = 'wrong horse battery staple';
const csrftoken = 'a'.repeat(48);

let cluster: ChatCluster;
let chat: ChatProcess;
let desdemona: DemoUser;
let iago: DemoUser;
let hamlet: DemoUser;
let mailbox: Mailbox;
/** Every secret that the test has sent or received. */
const secrets = new Set<string>([demoPassword, newPassword, wrongPassword, jwtKey]);
/** Ids of objects that earlier rows have created, by name. */
const ids: Record<string, number | string> = {};

beforeAll(async () => {
  cluster = await chatCluster();
  const env = { JWT_AUTH_KEY: jwtKey, REALM_EXPORT_POLL_MS: '50', EVENT_WEBHOOK_ALLOW_LOOPBACK: 'true' };
  chat = await cluster.start(env);
  mailbox = new Mailbox(chat);
  [desdemona, iago, hamlet] = (await Promise.all(
    ['desdemona', 'iago', 'hamlet'].map((name) => signIn(chat, name)),
  )) as [DemoUser, DemoUser, DemoUser];
  for (const { apiKey } of [desdemona, iago, hamlet]) secrets.add(apiKey);
  await chat.runtime.database.query(
    'UPDATE users SET can_create_users = true, can_change_user_emails = true WHERE id = $1',
    [desdemona.id],
  );
  await chat.runtime.database.query(
    `UPDATE users SET settings = settings || '{"allow_private_data_export": true}' WHERE id = $1`,
    [desdemona.id],
  );
});
afterAll(() => cluster.stop());

interface Sent {
  readonly form?: Record<string, string>;
  readonly headers?: Record<string, string>;
  readonly status?: number;
}

/** Sends a request of a user, or without credentials. Returns body and headers. */
async function send(user: DemoUser | null, method: string, path: string, { status: expected = 200, ...sent }: Sent) {
  const client = user?.client ?? chat.client;
  const { status, body, headers, text } = await client.request<Json>(method, path, { ...sent, unchecked: true });
  expect({ status, text: status === expected ? '' : text }).toEqual({ status: expected, text: '' });
  for (const name of ['api_key', 'secret']) {
    const value = body?.[name];
    if (typeof value === 'string') secrets.add(value);
  }
  const cookies = [headers['set-cookie'] ?? []].flat().map((line) => String(line).split(';', 1)[0] ?? '');
  for (const cookie of cookies) if (cookie.split('=')[1]) secrets.add(cookie.split('=')[1] ?? '');
  return { body, cookie: cookies.join('; '), text };
}

const api = (user: DemoUser | null, method: string, path: string, form?: Record<string, string>) =>
  send(user, method, `/api/v1/${path}`, { ...(form && { form }) });

/** Submits a form of a web page. */
const submit = (path: string, form: Record<string, string>, status: number) =>
  send(null, 'POST', path, {
    form: { ...form, csrfmiddlewaretoken: csrftoken },
    headers: { cookie: `csrftoken=${csrftoken}` },
    status,
  });

/** Signs a browser in. Returns the headers of its further requests. */
async function openBrowser(username: string, password: string): Promise<Record<string, string>> {
  const { cookie } = await submit('/accounts/login/', { username, password }, 303);
  return { cookie, 'x-csrftoken': /csrftoken=([^;]+)/.exec(cookie)?.[1] ?? '' };
}

async function mailedLink(address: string, pattern: RegExp): Promise<string> {
  const link = pattern.exec(await mailbox.newest(address, 1))?.[0] ?? '';
  secrets.add(link.split('/').at(-2) ?? '');
  return link;
}

let browser: Record<string, string> = {};
const idOf = (name: string): number | string => ids[name] ?? 0;

/** A request that writes one audit line: its action, its name, and a function that sends it and returns the line. */
type Row = readonly [string, string, () => Promise<object>];

const signIns: readonly Row[] = [
  [
    'sign_in',
    'POST /fetch_api_key',
    async () => {
      await api(null, 'POST', 'fetch_api_key', { username: hamlet.email, password: demoPassword });
      return { object: { type: 'user', id: hamlet.id }, actor: { realm: '1', id: hamlet.id, kind: 'user' } };
    },
  ],
  [
    'sign_in_failed',
    'POST /fetch_api_key with a wrong password',
    async () => {
      const form = { username: hamlet.email, password: wrongPassword };
      await send(null, 'POST', '/api/v1/fetch_api_key', { form, status: 401 });
      const object = { type: 'user', id: hamlet.id };
      return { object, actor: null, method: 'password', reason: 'AUTHENTICATION_FAILED' };
    },
  ],
  [
    'sign_in_failed',
    'POST /fetch_api_key with an unknown address, which the line omits',
    async () => {
      const form = { username: 'mistyped-secret@example.com', password: wrongPassword };
      secrets.add('mistyped-secret');
      await send(null, 'POST', '/api/v1/fetch_api_key', { form, status: 401 });
      return { object: { type: 'user', id: null }, actor: null };
    },
  ],
  [
    'sign_in',
    'POST /dev_fetch_api_key',
    async () => {
      await api(null, 'POST', 'dev_fetch_api_key', { username: iago.email });
      return { object: { type: 'user', id: iago.id }, method: 'development' };
    },
  ],
  [
    'sign_in',
    'POST /jwt/fetch_api_key',
    async () => {
      const key = new TextEncoder().encode(jwtKey);
      const claims = { email: hamlet.email, iat: Math.floor(Date.now() / 1000) };
      const token = await new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(key);
      secrets.add(token);
      await api(null, 'POST', 'jwt/fetch_api_key', { token });
      return { object: { type: 'user', id: hamlet.id }, method: 'jwt' };
    },
  ],
  [
    'sign_in_failed',
    'POST /jwt/fetch_api_key with an invalid token',
    async () => {
      const token = randomBytes(20).toString('hex');
      secrets.add(token);
      await send(null, 'POST', '/api/v1/jwt/fetch_api_key', { form: { token }, status: 400 });
      return { object: { type: 'user', id: null }, method: 'jwt', reason: 'BAD_REQUEST' };
    },
  ],
  [
    'sign_in',
    'POST /accounts/login',
    async () => {
      browser = await openBrowser(hamlet.email, demoPassword);
      return { object: { type: 'user', id: hamlet.id }, method: 'session' };
    },
  ],
  [
    'sign_in',
    'POST /json/fetch_api_key',
    async () => {
      await send(null, 'POST', '/json/fetch_api_key', { form: { password: demoPassword }, headers: browser });
      return { object: { type: 'user', id: hamlet.id }, method: 'repeated_password' };
    },
  ],
  [
    'sign_out',
    'POST /logout',
    async () => {
      await send(null, 'POST', '/logout', { form: {}, headers: browser, status: 303 });
      return { object: { type: 'user', id: hamlet.id }, actor: { id: hamlet.id } };
    },
  ],
  [
    'password_changed',
    'PATCH /settings with a new password',
    async () => {
      await api(hamlet, 'PATCH', 'settings', { old_password: demoPassword, new_password: newPassword });
      return { object: { type: 'user', id: hamlet.id }, actor: { id: hamlet.id } };
    },
  ],
  [
    'password_reset',
    'POST /accounts/password/reset/{token}',
    async () => {
      await submit('/accounts/password/reset/', { email: hamlet.email }, 200);
      const link = await mailedLink(hamlet.email, /\/accounts\/password\/reset\/[0-9a-f]+\//);
      await submit(link, { password: `${newPassword} again` }, 200);
      return { object: { type: 'user', id: hamlet.id }, actor: { id: hamlet.id } };
    },
  ],
];

const keysAndBots: readonly Row[] = [
  [
    'scoped_key_created',
    'POST /users/me/api_keys',
    async () => {
      const { body } = await api(hamlet, 'POST', 'users/me/api_keys', { name: 'laptop', scopes: '["read"]' });
      ids['key'] = Number((body['key'] as Json)['id']);
      return { object: { type: 'api_key', id: ids['key'] }, userId: hamlet.id, scopes: ['read'], expiresAt: null };
    },
  ],
  [
    'scoped_key_deleted',
    'DELETE /users/me/api_keys/{id}',
    async () => {
      await api(hamlet, 'DELETE', `users/me/api_keys/${idOf('key')}`);
      return { object: { type: 'api_key', id: idOf('key') }, userId: hamlet.id };
    },
  ],
  [
    'bot_created',
    'POST /bots',
    async () => {
      const form = { full_name: 'Auditor', short_name: 'auditor' };
      ids['bot'] = Number((await api(desdemona, 'POST', 'bots', form)).body['user_id']);
      return { object: { type: 'user', id: ids['bot'] }, ownerId: desdemona.id };
    },
  ],
  [
    'bot_key_read',
    'GET /bots/{id}/api_key',
    async () => {
      await api(desdemona, 'GET', `bots/${idOf('bot')}/api_key`);
      return { object: { type: 'user', id: idOf('bot') } };
    },
  ],
  [
    'api_key_regenerated',
    'POST /bots/{id}/api_key/regenerate',
    async () => {
      await api(desdemona, 'POST', `bots/${idOf('bot')}/api_key/regenerate`, {});
      return { object: { type: 'user', id: idOf('bot') }, actor: { id: desdemona.id } };
    },
  ],
  [
    'bot_owner_changed',
    'PATCH /bots/{id} with another owner',
    async () => {
      await api(desdemona, 'PATCH', `bots/${idOf('bot')}`, { bot_owner_id: String(iago.id) });
      return { before: { ownerId: desdemona.id }, after: { ownerId: iago.id } };
    },
  ],
  [
    'user_deactivated',
    'DELETE /bots/{id}',
    async () => {
      await api(desdemona, 'DELETE', `bots/${idOf('bot')}`);
      return { object: { type: 'user', id: idOf('bot') } };
    },
  ],
];

const users: readonly Row[] = [
  [
    'user_created',
    'POST /users',
    async () => {
      const form = { email: 'new@zulip.test', password: `${newPassword} new`, full_name: 'New' };
      ids['user'] = Number((await api(desdemona, 'POST', 'users', form)).body['user_id']);
      return { object: { type: 'user', id: ids['user'] }, role: 400, method: 'api', actor: { id: desdemona.id } };
    },
  ],
  [
    'user_role_changed',
    'PATCH /users/{id} with a role',
    async () => {
      await api(desdemona, 'PATCH', `users/${idOf('user')}`, { role: '200' });
      return { object: { type: 'user', id: idOf('user') }, before: { role: 400 }, after: { role: 200 } };
    },
  ],
  [
    'user_email_changed',
    'PATCH /users/{id} with an address',
    async () => {
      await api(desdemona, 'PATCH', `users/${idOf('user')}`, { new_email: 'newer@zulip.test' });
      return { object: { type: 'user', id: idOf('user') } };
    },
  ],
  [
    'user_deactivated',
    'DELETE /users/{id}',
    async () => {
      await api(desdemona, 'DELETE', `users/${idOf('user')}`);
      return { object: { type: 'user', id: idOf('user') } };
    },
  ],
  [
    'user_reactivated',
    'POST /users/{id}/reactivate',
    async () => {
      await api(desdemona, 'POST', `users/${idOf('user')}/reactivate`, {});
      return { object: { type: 'user', id: idOf('user') } };
    },
  ],
  [
    'invitation_created',
    'POST /invites',
    async () => {
      await api(desdemona, 'POST', 'invites', { invitee_emails: 'guest@zulip.test', stream_ids: '[]' });
      return { object: { type: 'realm', id: 1 }, role: 400, count: 1 };
    },
  ],
  [
    'invitation_created',
    'POST /invites/multiuse',
    async () => {
      const { body } = await api(desdemona, 'POST', 'invites/multiuse', {});
      secrets.add(String(body['invite_link']).split('/').at(-2) ?? '');
      return { object: { type: 'realm', id: 1 }, count: null };
    },
  ],
];

const groupsAndSettings: readonly Row[] = [
  [
    'realm_settings_changed',
    'PATCH /realm with a setting and a permission',
    async () => {
      const form = { invite_required: 'false', can_create_groups: `{"new":${idOf('administrators')}}` };
      await api(desdemona, 'PATCH', 'realm', form);
      const before = { invite_required: true, can_create_groups: expect.any(Number) };
      return { object: { type: 'realm', id: 1 }, before, after: { ...before, invite_required: false } };
    },
  ],
  [
    'default_settings_changed',
    'PATCH /realm/user_settings_defaults',
    async () => {
      await api(desdemona, 'PATCH', 'realm/user_settings_defaults', { twenty_four_hour_time: 'true' });
      return { object: { type: 'realm', id: 1 }, after: { twenty_four_hour_time: true } };
    },
  ],
  [
    'realm_domain_added',
    'POST /realm/domains',
    async () => {
      await api(desdemona, 'POST', 'realm/domains', { domain: 'zulip.test', allow_subdomains: 'false' });
      return { object: { type: 'realm', id: 1 }, domain: 'zulip.test', allowSubdomains: false };
    },
  ],
  [
    'realm_domain_changed',
    'PATCH /realm/domains/{domain}',
    async () => {
      await api(desdemona, 'PATCH', 'realm/domains/zulip.test', { allow_subdomains: 'true' });
      return { domain: 'zulip.test', allowSubdomains: true };
    },
  ],
  [
    'realm_domain_removed',
    'DELETE /realm/domains/{domain}',
    async () => {
      await api(desdemona, 'DELETE', 'realm/domains/zulip.test');
      return { domain: 'zulip.test' };
    },
  ],
  [
    'group_created',
    'POST /user_groups/create',
    async () => {
      const form = { name: 'auditors', description: '', members: `[${iago.id}]` };
      ids['group'] = Number((await api(desdemona, 'POST', 'user_groups/create', form)).body['group_id']);
      return { object: { type: 'user_group', id: ids['group'] }, members: [iago.id] };
    },
  ],
  [
    'group_changed',
    'PATCH /user_groups/{id}',
    async () => {
      const form = { name: 'reviewers', can_join_group: `{"new":${idOf('administrators')}}` };
      await api(desdemona, 'PATCH', `user_groups/${idOf('group')}`, form);
      return {
        before: { name: 'auditors', can_join_group: expect.any(Number) },
        after: { name: 'reviewers', can_join_group: idOf('administrators') },
      };
    },
  ],
  [
    'group_members_changed',
    'POST /user_groups/{id}/members',
    async () => {
      const form = { add: `[${hamlet.id}]`, delete: `[${iago.id}]` };
      await api(desdemona, 'POST', `user_groups/${idOf('group')}/members`, form);
      return { add: [hamlet.id], delete: [iago.id], addSubgroups: [], deleteSubgroups: [] };
    },
  ],
  [
    'group_deactivated',
    'POST /user_groups/{id}/deactivate',
    async () => {
      await api(desdemona, 'POST', `user_groups/${idOf('group')}/deactivate`, {});
      return { object: { type: 'user_group', id: idOf('group') } };
    },
  ],
  [
    'group_reactivated',
    'PATCH /user_groups/{id} of a deactivated group',
    async () => {
      await api(desdemona, 'PATCH', `user_groups/${idOf('group')}`, { deactivated: 'false' });
      return { object: { type: 'user_group', id: idOf('group') } };
    },
  ],
];

const exportsAndWebhooks: readonly Row[] = [
  [
    'export_requested',
    'POST /export/realm',
    async () => {
      ids['export'] = Number((await api(desdemona, 'POST', 'export/realm', {})).body['id']);
      return { object: { type: 'realm_export', id: ids['export'] }, exportType: 1 };
    },
  ],
  [
    'export_downloaded',
    'GET /user_uploads/exports/{token}/{filename}',
    async () => {
      const find = async () =>
        ((await api(desdemona, 'GET', 'export/realm')).body['exports'] as Json[]).find(({ pending }) => !pending);
      await waitFor(async () => (await find()) !== undefined, { timeoutMs: 60_000 });
      const { pathname } = new URL(String((await find())?.['export_url']), 'http://localhost');
      secrets.add(decodeURIComponent(pathname.split('/').at(-2) ?? ''));
      const fastify = chat.app.getHttpAdapter().getInstance();
      expect((await fastify.inject({ url: pathname })).statusCode).toBe(200);
      return { object: { type: 'realm_export', id: idOf('export') }, actor: { id: desdemona.id } };
    },
  ],
  [
    'export_deleted',
    'DELETE /export/realm/{id}',
    async () => {
      await api(desdemona, 'DELETE', `export/realm/${idOf('export')}`);
      return { object: { type: 'realm_export', id: idOf('export') } };
    },
  ],
  [
    'event_webhook_created',
    'POST /realm/event_webhooks',
    async () => {
      const url = 'http://user:hidden-word@127.0.0.1:9/receive?key=hidden-word';
      secrets.add('hidden-word');
      const form = { url: url.replace('user:hidden-word@', ''), event_types: '["message"]' };
      const { body } = await api(desdemona, 'POST', 'realm/event_webhooks', form);
      ids['webhook'] = String((body['event_webhook'] as Json)['id']);
      return { object: { type: 'event_webhook', id: ids['webhook'] }, host: '127.0.0.1:9' };
    },
  ],
  [
    'event_webhook_changed',
    'PATCH /realm/event_webhooks/{id}',
    async () => {
      await api(desdemona, 'PATCH', `realm/event_webhooks/${idOf('webhook')}`, { enabled: 'false' });
      return { object: { type: 'event_webhook', id: idOf('webhook') }, isEnabled: false, changed: ['enabled'] };
    },
  ],
  [
    'event_webhook_secret_rotated',
    'POST /realm/event_webhooks/{id}/rotate_secret',
    async () => {
      await api(desdemona, 'POST', `realm/event_webhooks/${idOf('webhook')}/rotate_secret`, {});
      return { object: { type: 'event_webhook', id: idOf('webhook') } };
    },
  ],
  [
    'event_webhook_deleted',
    'DELETE /realm/event_webhooks/{id}',
    async () => {
      await api(desdemona, 'DELETE', `realm/event_webhooks/${idOf('webhook')}`);
      return { object: { type: 'event_webhook', id: idOf('webhook') } };
    },
  ],
  [
    'realm_deactivated',
    'POST /realm/deactivate',
    async () => {
      await api(desdemona, 'POST', 'realm/deactivate', {});
      return { object: { type: 'realm', id: 1 }, actor: { id: desdemona.id }, deletionDelayDays: null };
    },
  ],
];

const rows = [...signIns, ...keysAndBots, ...users, ...groupsAndSettings, ...exportsAndWebhooks];
const linesOfTest: AuditLine[] = [];

describe('audit trail of chat', () => {
  beforeAll(async () => {
    const { rows: groups } = await chat.runtime.database.query<{ id: number }>(
      "SELECT id FROM user_groups WHERE name = 'role:administrators'",
    );
    ids['administrators'] = groups[0]?.id ?? 0;
  });

  it('writes the lines of a new user and a sign-in when an invitation is accepted', async () => {
    await api(desdemona, 'POST', 'invites', { invitee_emails: 'joins@zulip.test', stream_ids: '[]' });
    const link = await mailedLink('joins@zulip.test', /\/join\/[0-9a-f]+\//);
    const before = cluster.log.length;
    await submit(link, { full_name: 'Joins', password: `${newPassword} joins` }, 303);
    const lines = selectAuditLines(cluster.log.slice(before));
    expect(lines.map(({ action, method }) => [action, method])).toEqual([
      ['user_created', 'invitation'],
      ['sign_in', 'invitation'],
    ]);
    expect(lines[0]?.actor).toEqual({ ...lines[0]?.actor, id: lines[0]?.object?.id, kind: 'user' });
  });

  it('writes no line when a change is rolled back', async () => {
    const before = cluster.log.length;
    // The address is taken, which a unique index reports after the role was changed.
    const form = { role: '300', new_email: iago.email };
    await send(desdemona, 'PATCH', `/api/v1/users/${hamlet.id}`, { form, status: 400 });
    expect(selectAuditLines(cluster.log.slice(before))).toEqual([]);
  });

  it('writes no line when nothing changes', async () => {
    const before = cluster.log.length;
    await api(desdemona, 'PATCH', `users/${hamlet.id}`, { role: '400' });
    await api(desdemona, 'PATCH', 'realm', { default_language: 'en' });
    await submit('/logout', {}, 303);
    expect(selectAuditLines(cluster.log.slice(before))).toEqual([]);
  });

  it.each(rows)('writes one line %s after %s', async (action, _request, run) => {
    const before = cluster.log.length;
    const expected = await run();
    const lines = selectAuditLines(cluster.log.slice(before));
    linesOfTest.push(...lines);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({ level: 'info', name: 'chat', module: 'audit', action, ...expected });
    expect(lines[0]).toMatchObject({ address: '127.0.0.1', requestId: expect.any(String), msg: 'audit' });
  });

  it('writes lines of all declared actions, with their declared fields only', () => {
    expect([...new Set(rows.map(([action]) => action))].toSorted()).toEqual(Object.keys(chatAudit.actions).toSorted());
    const common = ['level', 'time', 'pid', 'hostname', 'name', 'requestId', 'traceId'];
    const ofAll = [...common, 'module', 'action', 'actor', 'address', 'object', 'msg'];
    for (const line of linesOfTest) {
      const action: { fields?: object } = Reflect.get(chatAudit.actions, line.action);
      const declared = [...ofAll, ...Object.keys(action.fields ?? {})];
      expect(Object.keys(line).filter((name) => !declared.includes(name))).toEqual([]);
    }
  });

  it('writes no secret and no email address', () => {
    const text = selectAuditLines(cluster.log)
      .map((line) => JSON.stringify(line))
      .join('\n');
    expect(secrets.size).toBeGreaterThan(15);
    expect([...secrets].filter((secret) => secret !== '' && text.includes(secret))).toEqual([]);
    expect(text).not.toContain('@');
  });
});
