import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { demoPassword } from '../../app/demo/index.js';
import {
  createBasicAuthorization,
  type ChatCluster,
  chatCluster,
  type ChatProcess,
  type DemoUser,
  signIn,
} from '../../../test/chat-server.js';
import { openTestEventQueue, type TestQueue } from '../../../test/test-event-queue.js';
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
  it('shows invitations only to administrators and the inviter', async () => {
    const queues = await Promise.all(
      [iago, hamlet, cordelia].map((user) => openTestEventQueue(chat, user, ['invites_changed'])),
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
      .withHeaders(createBasicAuthorization(hamlet.email, hamlet.apiKey))
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
    const queue = await openTestEventQueue(chat, iago, ['invites_changed']);
    expect((await iago.client.delete(`/api/v1/users/${othello.id}`)).status).toBe(200);
    expect(await queue.read()).toEqual([{ type: 'invites_changed' }]);
    expect((await visit(link, { full_name: 'Eight', password: 'a good password' })).status).toBe(404);
    expect((await invitesOf(iago)).map(({ email }) => email)).not.toContain('eight@new.test');
  });
});

describe('sign-up with the link of an invitation', () => {
  const form = { full_name: 'Laertes', password: 'a good password' };
  let link = '';
  let groupId = 0;
  let queue: TestQueue;
  let joined: Awaited<ReturnType<typeof visit>>;
  let laertes: ChatProcess['client'];

  beforeAll(async () => {
    const verona = await channelId('Verona');
    await chat.runtime.database.query("UPDATE channels SET is_default = name IN ('Denmark', 'Venice')");
    const { body } = await desdemona.client.post<{ group_id: number }>('/api/v1/user_groups/create', {
      form: { name: 'newcomers', description: '', members: '[]' },
    });
    groupId = body.group_id;
    const sent = await invite(desdemona, 'Laertes@new.test', {
      stream_ids: `[${verona}]`,
      group_ids: `[${groupId}]`,
      invite_as: 300,
      include_realm_default_subscriptions: true,
      welcome_message_custom_text: 'Read the *rules*.',
    });
    expect(sent.result).toBe('success');
    link = await mailedLink('Laertes@new.test');
    queue = await openTestEventQueue(chat, desdemona, ['realm_user', 'user_group', 'message', 'invites_changed']);
    joined = await visit(link, form);
    const key = await chat.client.post<{ api_key: string }>('/api/v1/fetch_api_key', {
      form: { username: 'laertes@new.test', password: form.password },
    });
    laertes = chat.client.withHeaders(createBasicAuthorization('laertes@new.test', key.body.api_key));
  });

  it('signs the new user in', async () => {
    expect({ status: joined.status, text: joined.text }).toMatchObject({ status: 303 });
    const session = /sessionid=([0-9a-f]+)/.exec(String(joined.headers['set-cookie']))?.[1] ?? '';
    const me = await chat.client.get('/json/users/me', {
      headers: { cookie: `sessionid=${session}` },
      unchecked: true,
    });
    expect(me.body).toMatchObject({ delivery_email: 'Laertes@new.test', full_name: 'Laertes' });
  });

  it('gives the account the role, the channels and the groups of the invitation', async () => {
    const me = await laertes.get<{ user_id: number; role: number }>('/api/v1/users/me');
    expect(me.body.role).toBe(300);
    const subscribed = await laertes.get<{ subscriptions: { name: string }[] }>('/api/v1/users/me/subscriptions');
    expect(subscribed.body.subscriptions.map(({ name }) => name).toSorted()).toEqual(['Denmark', 'Venice', 'Verona']);
    const members = await desdemona.client.get(`/api/v1/user_groups/${groupId}/members`);
    expect(members.body).toMatchObject({ members: [me.body.user_id] });
  });

  it('sends the welcome message of the invitation to the new user', async () => {
    const read = await laertes.get<{ messages: { sender_full_name: string; content: string }[] }>('/api/v1/messages', {
      query: { anchor: 'newest', num_before: 5, num_after: 0, narrow: '[["is","dm"]]' },
    });
    expect(read.body.messages).toMatchObject([{ sender_full_name: 'Welcome Bot' }]);
    expect(read.body.messages[0]?.content).toContain('<em>rules</em>');
  });

  it('emits the new user and notifies the inviter by message', async () => {
    const events = await queue.read();
    expect(events.map(({ type, op }) => [type, op].filter(Boolean).join('/'))).toEqual(
      expect.arrayContaining(['realm_user/add', 'user_group/add_members', 'invites_changed', 'message']),
    );
    const [notice] = events.filter(({ type }) => type === 'message');
    expect(notice).toMatchObject({ message: { sender_full_name: 'Notification Bot' } });
  });

  it('makes the link invalid for a second sign-up and removes the invitation from the list', async () => {
    expect((await visit(link, { ...form, full_name: 'Again' })).status).toBe(404);
    expect((await invitesOf(desdemona)).map(({ email }) => email)).not.toContain('Laertes@new.test');
  });

  it('shows the name of the inviter on the page', async () => {
    await invite(desdemona, 'voltemand@new.test');
    const page = await chat.client.get(await mailedLink('voltemand@new.test'), { unchecked: true });
    expect(page.status).toBe(200);
    expect(page.text).toContain('Desdemona invites you.');
  });

  it('shows validation errors on the page, and the link remains valid', async () => {
    await invite(desdemona, 'osric@new.test');
    const own = await mailedLink('osric@new.test');
    const weak = await visit(own, { full_name: 'Osric', password: 'x' });
    expect({ status: weak.status, shown: weak.text.includes('The password is too weak.') }).toEqual({
      status: 422,
      shown: true,
    });
    const short = await visit(own, { full_name: 'O', password: 'a good password' });
    expect({ status: short.status, shown: short.text.includes('Name too short!') }).toEqual({
      status: 422,
      shown: true,
    });
    expect((await visit(own, { full_name: 'Osric', password: 'a good password' })).status).toBe(303);
  });

  it('responds 403 to a sign-up form of another site', async () => {
    await invite(desdemona, 'fortinbras@new.test');
    const foreign = await chat.client.post(await mailedLink('fortinbras@new.test'), { form, unchecked: true });
    expect(foreign.status).toBe(403);
    expect((await invitesOf(desdemona)).map(({ email }) => email)).toContain('fortinbras@new.test');
  });

  it('creates one account when the sign-up form is submitted several times concurrently', async () => {
    await invite(desdemona, 'reynaldo@new.test');
    const own = await mailedLink('reynaldo@new.test');
    const tries = await Promise.all([1, 2, 3].map(() => visit(own, form)));
    expect(tries.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([303, 404, 404]);
    const { rows } = await chat.runtime.database.query(
      "SELECT count(*)::int AS count FROM users WHERE delivery_email = 'reynaldo@new.test'",
    );
    expect(rows).toEqual([{ count: 1 }]);
  });

  it.each(['/join/nothing/', `/join/${'0'.repeat(40)}/`])(
    'responds 404 for an unknown invitation link %s',
    async (path) => {
      const { status, text } = await chat.client.get(path, { unchecked: true });
      expect({ status, said: text.includes('not valid') }).toEqual({ status: 404, said: true });
    },
  );
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
