import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { demoPassword } from '../../app/demo/index.js';
import {
  basic,
  type ChatCluster,
  chatCluster,
  type ChatProcess,
  type DemoUser,
  signIn,
} from '../../../test/chat-server.js';
import { openQueue } from '../../../test/test-event-queue.js';
import { Mailbox } from '../../../test/test-mailbox.js';

let cluster: ChatCluster;
let chat: ChatProcess;
let mailbox: Mailbox;
let desdemona: DemoUser;
let iago: DemoUser;
let hamlet: DemoUser;
let cordelia: DemoUser;
let polonius: DemoUser;

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start();
  mailbox = new Mailbox(chat);
  [desdemona, iago, hamlet, cordelia, polonius] = await Promise.all([
    signIn(chat, 'desdemona'),
    signIn(chat, 'iago'),
    signIn(chat, 'hamlet'),
    signIn(chat, 'cordelia'),
    signIn(chat, 'polonius'),
  ]);
});
afterAll(() => cluster.stop());

interface ListedInvitation {
  id: number;
  email?: string;
  link_url?: string;
  invited_as: number;
  invited_by_user_id: number;
  expiry_date: number | null;
  invited: number;
}

interface ResponseBody {
  result: string;
  msg: string;
  code: string;
  invites: ListedInvitation[];
  invite_link: string;
}

async function invite(user: DemoUser, emails: string, form: Record<string, string | number | boolean> = {}) {
  const sent = { invitee_emails: emails, stream_ids: '[]', ...form };
  return (await user.client.post<ResponseBody>('/api/v1/invites', { form: sent })).body;
}

async function invitesOf(user: DemoUser): Promise<ListedInvitation[]> {
  return (await user.client.get<ResponseBody>('/api/v1/invites')).body.invites;
}

/** Waits until `count` emails were sent to an address. Returns the invitation link in the newest of these emails. */
async function mailedLink(address: string, count = 1): Promise<string> {
  return /\/join\/[0-9a-f]+\//.exec(await mailbox.newest(address, count))?.[0] ?? '';
}

const csrftoken = 'a'.repeat(48);

function visit(link: string, form: Record<string, string>) {
  const headers = { cookie: `csrftoken=${csrftoken}` };
  return chat.client.post(link, { form: { ...form, csrfmiddlewaretoken: csrftoken }, headers, unchecked: true });
}

describe('POST /invites', () => {
  it('lists invitations to the inviter and to administrators, and emits invites_changed', async () => {
    const queues = await Promise.all(
      [iago, hamlet, cordelia].map((user) => openQueue(chat, user, ['invites_changed'])),
    );
    const before = Math.floor(Date.now() / 1000) - 1;
    expect(await invite(hamlet, 'one@new.test, Two <two@new.test>\nONE@new.test')).toEqual({
      result: 'success',
      msg: '',
    });
    const [first, second] = await invitesOf(hamlet);
    expect(first).toMatchObject({
      email: 'ONE@new.test',
      invited_as: 400,
      invited_by_user_id: hamlet.id,
      notify_referrer_on_join: true,
      is_multiuse: false,
    });
    expect(second?.email).toBe('two@new.test');
    expect(first?.invited).toBeGreaterThanOrEqual(before);
    expect((first?.expiry_date ?? 0) - (first?.invited ?? 0)).toBe(864_000);
    expect((await invitesOf(iago)).map(({ email }) => email)).toContain('two@new.test');
    expect(await invitesOf(cordelia)).toEqual([]);
    const seen = await Promise.all(queues.map((queue) => queue.read()));
    expect(seen).toEqual([[{ type: 'invites_changed' }], [{ type: 'invites_changed' }], []]);
  });

  it('lets the owner of the address sign up with the promised role and channels', async () => {
    const verona = await channelId('Verona');
    await chat.runtime.database.query("UPDATE channels SET is_default = name IN ('Denmark', 'Venice')");
    const { body } = await desdemona.client.post<{ group_id: number }>('/api/v1/user_groups/create', {
      form: { name: 'newcomers', description: '', members: '[]' },
    });
    const form = {
      stream_ids: `[${verona}]`,
      group_ids: `[${body.group_id}]`,
      invite_as: 300,
      include_realm_default_subscriptions: true,
      welcome_message_custom_text: 'Read the *rules*.',
    };
    expect((await invite(desdemona, 'Laertes@new.test', form)).result).toBe('success');
    const link = await mailedLink('Laertes@new.test');
    const page = await chat.client.get(link, { unchecked: true });
    expect(page.status).toBe(200);
    expect(page.text).toContain('Desdemona invites you.');
    const queue = await openQueue(chat, desdemona, ['realm_user', 'user_group', 'message', 'invites_changed']);
    const joined = await visit(link, { full_name: 'Laertes', password: 'a good password' });
    expect({ status: joined.status, text: joined.text }).toMatchObject({ status: 303 });
    const session = /sessionid=([0-9a-f]+)/.exec(String(joined.headers['set-cookie']))?.[1] ?? '';
    const me = await chat.client.get<{ user_id: number; role: number; delivery_email: string }>('/json/users/me', {
      headers: { cookie: `sessionid=${session}` },
      unchecked: true,
    });
    expect(me.body).toMatchObject({ role: 300, delivery_email: 'Laertes@new.test', full_name: 'Laertes' });
    const key = await chat.client.post<{ api_key: string }>('/api/v1/fetch_api_key', {
      form: { username: 'laertes@new.test', password: 'a good password' },
    });
    const laertes = chat.client.withHeaders(basic('laertes@new.test', key.body.api_key));
    const subscribed = await laertes.get<{ subscriptions: { name: string }[] }>('/api/v1/users/me/subscriptions');
    expect(subscribed.body.subscriptions.map(({ name }) => name).toSorted()).toEqual(['Denmark', 'Venice', 'Verona']);
    const members = await desdemona.client.get(`/api/v1/user_groups/${body.group_id}/members`);
    expect(members.body).toMatchObject({ members: [me.body.user_id] });
    const read = await laertes.get<{ messages: { sender_full_name: string; content: string }[] }>('/api/v1/messages', {
      query: { anchor: 'newest', num_before: 5, num_after: 0, narrow: '[["is","dm"]]' },
    });
    expect(read.body.messages).toMatchObject([{ sender_full_name: 'Welcome Bot' }]);
    expect(read.body.messages[0]?.content).toContain('<em>rules</em>');
    const events = await queue.read();
    expect(events.map(({ type, op }) => [type, op].filter(Boolean).join('/'))).toEqual(
      expect.arrayContaining(['realm_user/add', 'user_group/add_members', 'invites_changed', 'message']),
    );
    const [notice] = events.filter(({ type }) => type === 'message');
    expect(notice).toMatchObject({ message: { sender_full_name: 'Notification Bot' } });
    expect((await visit(link, { full_name: 'Again', password: 'a good password' })).status).toBe(404);
    expect((await invitesOf(desdemona)).map(({ email }) => email)).not.toContain('Laertes@new.test');
  });

  it('shows validation errors on the sign-up page, rejects cross-site forms, and accepts one of several concurrent submissions', async () => {
    await invite(desdemona, 'osric@new.test');
    const link = await mailedLink('osric@new.test');
    const weak = await visit(link, { full_name: 'Osric', password: 'x' });
    expect({ status: weak.status, shown: weak.text.includes('The password is too weak.') }).toEqual({
      status: 422,
      shown: true,
    });
    expect((await visit(link, { full_name: 'O', password: 'a good password' })).text).toContain('Name too short!');
    const foreign = await chat.client.post(link, { form: { full_name: 'Osric', password: 'p' }, unchecked: true });
    expect(foreign.status).toBe(403);
    const tries = await Promise.all(
      [1, 2, 3].map(() => visit(link, { full_name: 'Osric', password: 'a good password' })),
    );
    expect(tries.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([303, 404, 404]);
  });

  it.each(['/join/nothing/', `/join/${'0'.repeat(40)}/`])(
    'responds 404 for an unknown invitation link %s',
    async (path) => {
      const { status, text } = await chat.client.get(path, { unchecked: true });
      expect({ status, said: text.includes('not valid') }).toEqual({ status: 404, said: true });
    },
  );

  it('skips email addresses that already have an account, and reports the skipped addresses', async () => {
    const both = await invite(hamlet, 'cordelia@example.com, three@new.test');
    expect(both).toEqual({
      result: 'error',
      msg: 'Some of these people have an account already. All others were invited.',
      code: 'INVITATION_FAILED',
      errors: [['cordelia@example.com', 'Already has an account.', false]],
      sent_invitations: true,
      license_limit_reached: false,
      daily_limit_reached: false,
    });
    expect((await invitesOf(hamlet)).map(({ email }) => email)).toContain('three@new.test');
    expect(await invite(hamlet, 'cordelia@example.com')).toMatchObject({ sent_invitations: false });
  });

  it('rejects all invitations when one address is invalid', async () => {
    expect(await invite(hamlet, 'four@new.test, nonsense')).toMatchObject({
      code: 'INVITATION_FAILED',
      errors: [['nonsense', 'Enter a valid email address.', false]],
      sent_invitations: false,
    });
    expect((await invitesOf(hamlet)).map(({ email }) => email)).not.toContain('four@new.test');
    expect(await invite(hamlet, ' , \n')).toMatchObject({ code: 'BAD_REQUEST' });
  });

  it('rejects roles and channels that the inviter cannot grant', async () => {
    const secret = await channelId('core team');
    const refusals: [DemoUser, Record<string, string | number>, string][] = [
      [hamlet, { invite_as: 200 }, 'Must be an organization administrator'],
      [iago, { invite_as: 100 }, 'Must be an organization owner'],
      [cordelia, { stream_ids: `[${secret}]` }, 'Invalid channel ID'],
      [hamlet, { stream_ids: '[999999]' }, 'Invalid channel ID'],
      [hamlet, { group_ids: '[999999]' }, 'Invalid user group'],
      [hamlet, { invite_as: 401 }, 'Invalid invite_as'],
      [polonius, {}, 'Not allowed for guest users'],
    ];
    for (const [user, form, msg] of refusals) {
      expect(await invite(user, 'five@new.test', form)).toMatchObject({ result: 'error', msg });
    }
    const bot = await signIn(chat, 'default-bot');
    expect((await invite(bot, 'five@new.test')).msg).toBe('This endpoint does not accept bot requests.');
    expect((await bot.client.get<ResponseBody>('/api/v1/invites')).body.result).toBe('error');
  });

  it('enforces the daily limit of invitations', async () => {
    const strict = await cluster.start({ INVITES_PER_DAY: '1' });
    const refused = await strict.client
      .withHeaders(basic(hamlet.email, hamlet.apiKey))
      .post('/api/v1/invites', { form: { invitee_emails: 'six@new.test', stream_ids: '[]' } });
    expect(refused.body).toMatchObject({ code: 'INVITATION_FAILED', daily_limit_reached: true });
  });

  it('creates invitations that only the inviter and administrators can revoke', async () => {
    await invite(hamlet, 'seven@new.test');
    const link = await mailedLink('seven@new.test');
    const id = (await invitesOf(hamlet)).find(({ email }) => email === 'seven@new.test')?.id ?? 0;
    const path = `/api/v1/invites/${id}`;
    const missing = { result: 'error', msg: 'No such invitation', code: 'BAD_REQUEST' };
    expect((await cordelia.client.delete(path)).body).toEqual(missing);
    expect((await cordelia.client.delete('/api/v1/invites/999999')).body).toEqual(missing);
    expect((await hamlet.client.delete(`/api/v1/invites/multiuse/${id}`)).body).toEqual(missing);
    expect((await cordelia.client.post(`${path}/resend`)).body).toEqual(missing);
    expect((await iago.client.post(`${path}/resend`)).status).toBe(200);
    expect(await mailedLink('seven@new.test', 2)).toBe(link);
    expect((await iago.client.delete(path)).status).toBe(200);
    expect((await hamlet.client.delete(path)).body).toEqual(missing);
    expect((await visit(link, { full_name: 'Seven', password: 'a good password' })).status).toBe(404);
  });

  it('creates invitations that become invalid when the inviter is deactivated', async () => {
    const othello = await signIn(chat, 'othello');
    await invite(othello, 'eight@new.test');
    const link = await mailedLink('eight@new.test');
    const queue = await openQueue(chat, iago, ['invites_changed']);
    expect((await iago.client.delete(`/api/v1/users/${othello.id}`)).status).toBe(200);
    expect(await queue.read()).toEqual([{ type: 'invites_changed' }]);
    expect((await visit(link, { full_name: 'Eight', password: 'a good password' })).status).toBe(404);
    expect((await invitesOf(iago)).map(({ email }) => email)).not.toContain('eight@new.test');
  });
});

describe('POST /invites/multiuse', () => {
  const makeLink = async (user: DemoUser, form: Record<string, string> = {}) =>
    (await user.client.post<ResponseBody>('/api/v1/invites/multiuse', { form })).body;

  it('creates a link that GET /invites lists and that people can use to sign up after confirming an email address', async () => {
    const { invite_link: link } = await makeLink(iago, { invite_as: '600', invite_expires_in_minutes: 'null' });
    const listed = (await invitesOf(iago)).find(({ link_url: url }) => url !== undefined);
    expect(listed).toMatchObject({ link_url: link, invited_as: 600, is_multiuse: true, expiry_date: null });
    const path = new URL(link).pathname;
    expect((await chat.client.get(path, { unchecked: true })).text).toContain('name="email"');
    for (const name of ['rosencrantz', 'guildenstern']) {
      const asked = await visit(path, { email: `${name}@new.test` });
      expect({ status: asked.status, said: asked.text.includes('by mail') }).toEqual({ status: 200, said: true });
      const own = await mailedLink(`${name}@new.test`);
      expect((await visit(own, { full_name: name, password: 'a good password' })).status).toBe(303);
    }
    expect((await visit(path, { email: 'nonsense' })).status).toBe(422);
    const asked = await visit(path, { email: 'late@new.test' });
    expect(asked.status).toBe(200);
    const late = await mailedLink('late@new.test');
    expect((await iago.client.delete(`/api/v1/invites/multiuse/${listed?.id ?? 0}`)).status).toBe(200);
    expect((await visit(late, { full_name: 'Late', password: demoPassword })).status).toBe(404);
    expect((await chat.client.get(path, { unchecked: true })).status).toBe(404);
  });

  it('shows the URL of a link that grants the owner role only to owners', async () => {
    const made = await desdemona.client.post<ResponseBody>('/api/v1/invites/multiuse', { form: { invite_as: 100 } });
    const linkFor = async (user: DemoUser) => {
      const { id } = (await invitesOf(desdemona)).find(({ link_url: url }) => url === made.body.invite_link)!;
      return (await invitesOf(user)).find((invitation) => invitation.id === id)?.link_url;
    };
    expect(await linkFor(desdemona)).toBe(made.body.invite_link);
    expect(await linkFor(iago)).toBe('');
  });

  it("creates a link that does not work while its creator may not invite users with the link's role", async () => {
    const { body: made } = await iago.client.post<ResponseBody>('/api/v1/invites/multiuse', {
      form: { invite_as: 200 },
    });
    const path = new URL(made.invite_link).pathname;
    await visit(path, { email: 'before@new.test' });
    const own = await mailedLink('before@new.test');
    await invite(iago, 'mod@new.test', { invite_as: 300 });
    const mailed = await mailedLink('mod@new.test');
    const setRole = async (role: number) => {
      const { body } = await desdemona.client.patch<ResponseBody>(`/api/v1/users/${iago.id}`, { form: { role } });
      expect(body.result).toBe('success');
    };
    const resend = async (email: string) => {
      const { body } = await desdemona.client.get<{ invites: { id: number; email?: string }[] }>('/api/v1/invites');
      const id = body.invites.find((invitation) => invitation.email === email)?.id;
      return (await desdemona.client.post<ResponseBody>(`/api/v1/invites/${id}/resend`)).body;
    };
    const account = { full_name: 'Fortinbras', password: 'a good password' };
    await setRole(400);
    for (const link of [path, own, mailed]) {
      expect((await chat.client.get(link, { unchecked: true })).status).toBe(404);
    }
    expect((await visit(path, { email: 'after@new.test' })).status).toBe(404);
    for (const link of [own, mailed]) expect((await visit(link, account)).status).toBe(404);
    expect(await resend('mod@new.test')).toMatchObject({ code: 'BAD_REQUEST', msg: 'Insufficient permission' });
    await setRole(200);
    expect(await resend('mod@new.test')).toMatchObject({ result: 'success' });
    expect((await visit(own, account)).status).toBe(303);
  });

  it('requires the permission to create invitation links', async () => {
    expect(await makeLink(hamlet)).toMatchObject({ msg: 'Insufficient permission' });
    expect(await makeLink(polonius)).toMatchObject({ msg: 'Not allowed for guest users' });
    expect((await makeLink(desdemona)).invite_link).toMatch(/^http:\/\/[^/]+\/join\/[0-9a-f]{40}\/$/);
  });

  it('rejects requests for confirmation emails above the rate limit of an IP address', async () => {
    const strict = await cluster.start({ RATE_LIMIT_EMAIL_BY_IP: '600:1' });
    const { invite_link: link } = await makeLink(desdemona);
    const ask = (email: string) =>
      strict.client.post(new URL(link).pathname, {
        form: { email, csrfmiddlewaretoken: csrftoken },
        headers: { cookie: `csrftoken=${csrftoken}` },
        unchecked: true,
      });
    expect((await ask('a@new.test')).status).toBe(200);
    expect((await ask('b@new.test')).status).toBe(429);
  });
});

describe('endpoints of realm domains', () => {
  const domains = async () => (await iago.client.get<{ domains: object[] }>('/api/v1/realm/domains')).body.domains;

  it('let owners add, change and remove domains, with events to all users', async () => {
    const queue = await openQueue(chat, hamlet, ['realm_domains']);
    const form = { domain: 'Acme.Test', allow_subdomains: false };
    const added = await desdemona.client.post<{ new_domain: [number, string] }>('/api/v1/realm/domains', { form });
    expect(added.body.new_domain[1]).toBe('acme.test');
    expect((await desdemona.client.post('/api/v1/realm/domains', { form })).status).toBe(400);
    const path = '/api/v1/realm/domains/acme.test';
    expect((await desdemona.client.patch(path, { form: { allow_subdomains: true } })).status).toBe(200);
    expect(await domains()).toEqual([{ domain: 'acme.test', allow_subdomains: true }]);
    const registered = await hamlet.client.post('/api/v1/register', {
      form: { event_types: '["realm_domains"]' },
    });
    expect(registered.body).toMatchObject({ realm_domains: [{ domain: 'acme.test', allow_subdomains: true }] });
    expect((await desdemona.client.delete(path)).status).toBe(200);
    expect(await desdemona.client.delete(path)).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
    expect(await queue.read()).toEqual([
      { type: 'realm_domains', op: 'add', realm_domain: { domain: 'acme.test', allow_subdomains: false } },
      { type: 'realm_domains', op: 'change', realm_domain: { domain: 'acme.test', allow_subdomains: true } },
      { type: 'realm_domains', op: 'remove', domain: 'acme.test' },
    ]);
    expect((await iago.client.post('/api/v1/realm/domains', { form })).body).toMatchObject({
      code: 'UNAUTHORIZED_PRINCIPAL',
      msg: 'Must be an organization owner',
    });
    expect((await hamlet.client.get('/api/v1/realm/domains')).body).toMatchObject({ code: 'UNAUTHORIZED_PRINCIPAL' });
    for (const domain of ['', 'nodot', '-a.test', 'a..test', 'a b.test']) {
      const bad = await desdemona.client.post('/api/v1/realm/domains', { form: { domain, allow_subdomains: true } });
      expect(bad.status).toBe(400);
    }
  });

  it('reject email addresses of other domains when the organization is restricted to its domains', async () => {
    await desdemona.client.post('/api/v1/realm/domains', { form: { domain: 'acme.test', allow_subdomains: true } });
    await desdemona.client.patch('/api/v1/realm', { form: { emails_restricted_to_domains: true } });
    expect(await invite(hamlet, 'x@other.test')).toMatchObject({
      errors: [['x@other.test', 'Outside of the domains of this organization.', false]],
    });
    expect((await invite(hamlet, 'x@acme.test, y@eu.ACME.test')).result).toBe('success');
    expect(await invite(hamlet, 'x@notacme.test')).toMatchObject({ code: 'INVITATION_FAILED' });
    await chat.runtime.database.query('UPDATE users SET can_create_users = true WHERE id = $1', [desdemona.id]);
    const create = (email: string) =>
      desdemona.client.post('/api/v1/users', { form: { email, full_name: 'Some Body', password: 'a good password' } });
    expect((await create('z@other.test')).status).toBe(400);
    expect((await create('z@acme.test')).status).toBe(200);
    await chat.runtime.database.query('UPDATE users SET can_change_user_emails = true WHERE id = $1', [desdemona.id]);
    const move = async (email: string) =>
      (await desdemona.client.patch<ResponseBody>(`/api/v1/users/${polonius.id}`, { form: { new_email: email } })).body;
    expect(await move(polonius.email)).toMatchObject({ result: 'success' });
    expect(await move('p@other.test')).toMatchObject({
      msg: "Email 'p@other.test' is not of a domain of this organization",
    });
    expect(await move('p@acme.test')).toMatchObject({ result: 'success' });
    await desdemona.client.patch('/api/v1/realm', { form: { emails_restricted_to_domains: false } });
  });
});

describe('disposable email addresses', () => {
  const address = 'x@mailinator.com';
  const wish = async () =>
    (await cordelia.client.patch<ResponseBody>('/api/v1/settings', { form: { email: address } })).body;

  it('cannot be used for sign-up and email change, unless the organization allows them', async () => {
    expect(await invite(hamlet, address)).toMatchObject({
      errors: [[address, 'Please use your real email address.', false]],
    });
    expect(await wish()).toMatchObject({ msg: 'Please use your real email address.' });
    await desdemona.client.patch('/api/v1/realm', { form: { disallow_disposable_email_addresses: false } });
    expect(await invite(hamlet, address)).toMatchObject({ result: 'success' });
    expect(await wish()).toMatchObject({ result: 'success' });
    await desdemona.client.patch('/api/v1/realm', { form: { disallow_disposable_email_addresses: true } });
  });
});

async function channelId(name: string): Promise<number> {
  const { rows } = await chat.runtime.database.query<{ id: number }>('SELECT id FROM channels WHERE name = $1', [name]);
  return rows[0]?.id ?? 0;
}
