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
import { Mailbox } from '../../../test/test-mailbox.js';

let cluster: ChatCluster;
let chat: ChatProcess;
let hamlet: DemoUser;

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start();
  hamlet = await signIn(chat, 'hamlet');
});
afterAll(() => cluster.stop());

const page = '/accounts/password/reset/';
const newPassword = 'correct horse battery staple';
const cookie = { cookie: 'csrftoken=abc' };

async function submit(path: string, form: Record<string, string>, process = chat) {
  const sent = { form: { ...form, csrfmiddlewaretoken: 'abc' }, headers: cookie, unchecked: true };
  const { status, text } = await process.client.post(path, sent);
  return { status, text };
}

const request = (email: string, process = chat) => submit(page, { email }, process);

/** Requests a password reset link for an email address. Returns the URL path of the link in the resulting mail. */
async function mailedLink(email: string, count = 1): Promise<string> {
  expect((await request(email)).status).toBe(200);
  const mail = await new Mailbox(chat).newest(email, count);
  return /\/accounts\/password\/reset\/[0-9a-f]+\//.exec(mail)?.[0] ?? '';
}

const open = async (path: string) => {
  const { status, text } = await chat.client.get(path, { unchecked: true });
  return { status, text };
};
const statusOfSignIn = async (username: string, password: string) =>
  (await chat.client.post('/api/v1/fetch_api_key', { form: { username, password } })).status;

describe('POST /accounts/password/reset', () => {
  it('shows a form with a CSRF token, and the login page links to this form', async () => {
    expect((await open('/accounts/login/')).text).toContain(`href="${page}"`);
    const { status, text } = await open(page);
    expect(status).toBe(200);
    expect(text).toContain('name="csrfmiddlewaretoken"');
    const refused = await chat.client.post(page, { form: { email: hamlet.email }, unchecked: true });
    expect(refused.status).toBe(403);
  });

  it('returns the same page for every email address, but sends an email only to active users', async () => {
    await chat.runtime.database.query(
      "UPDATE users SET is_active = false WHERE delivery_email_key = 'prospero@example.com'",
    );
    const others = ['nobody@example.com', 'prospero@example.com', 'default-bot@example.com'];
    const pages = [];
    for (const email of others) pages.push(await request(email));
    pages.push(await request('CORDELIA@example.com'));
    expect(new Set(pages.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    const mailbox = new Mailbox(chat);
    expect(await mailbox.newest('cordelia@example.com')).toContain('open this page within 24 hours');
    for (const email of others) expect([email, await mailbox.list(email)]).toEqual([email, []]);
    const { rows } = await chat.runtime.database.query('SELECT FROM password_resets');
    expect(rows).toHaveLength(1);
  });

  it('rejects a text that is not an email address', async () => {
    expect(await request('somewhere')).toMatchObject({ status: 422 });
  });

  it('limits the number of emails per address, with or without an account, and per client', async () => {
    const byEmail = await cluster.start({ RATE_LIMIT_PASSWORD_RESET_BY_EMAIL: '600:1' });
    for (const email of ['othello@example.com', 'unknown@example.com']) {
      expect((await request(email, byEmail)).status).toBe(200);
      expect((await request(email.toUpperCase(), byEmail)).status).toBe(429);
    }
    const byClient = await cluster.start({ RATE_LIMIT_EMAIL_BY_IP: '600:1' });
    expect((await request('first@example.com', byClient)).status).toBe(200);
    expect((await request('second@example.com', byClient)).status).toBe(429);
  });
});

describe('POST /accounts/password/reset/{token}', () => {
  it('sets a strong password only once per link, and ends the sessions of the account', async () => {
    const link = await mailedLink(hamlet.email);
    expect(await open(link)).toMatchObject({ status: 200, text: expect.stringContaining(hamlet.email) });
    const weak = await submit(link, { password: 'password1' });
    expect(weak).toMatchObject({ status: 422, text: expect.stringContaining('The password is too weak.') });
    const sessions = () => chat.runtime.database.query('SELECT 1 FROM sessions WHERE user_id = $1', [hamlet.id]);
    expect((await sessions()).rowCount).toBeGreaterThan(0);
    expect(await submit(link, { password: newPassword })).toMatchObject({ status: 200 });
    expect((await sessions()).rowCount).toBe(0);
    expect(await statusOfSignIn(hamlet.email, demoPassword)).toBe(401);
    expect(await statusOfSignIn(hamlet.email, newPassword)).toBe(200);
    expect(await submit(link, { password: 'something else entirely' })).toMatchObject({ status: 404 });
    expect(await open(link)).toMatchObject({ status: 404 });
  });

  it('sets only one password when two requests use the same link concurrently', async () => {
    const link = await mailedLink('iago@example.com');
    const passwords = [newPassword, 'something else entirely'];
    const results = await Promise.all(passwords.map((password) => submit(link, { password })));
    expect(results.map(({ status }) => status).toSorted()).toEqual([200, 404]);
  });

  it('stores only a digest of the token in the database', async () => {
    const link = await mailedLink('shiva@example.com');
    const token = link.split('/').at(-2) ?? '';
    const { rows } = await chat.runtime.database.query<{ token_digest: string }>(
      'SELECT token_digest FROM password_resets',
    );
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.map((row) => row.token_digest)).not.toContain(token);
  });

  it('rejects a link that has expired, was replaced by a newer link, or precedes a change of password or address', async () => {
    const zoe = await signIn(chat, 'ZOE');
    const first = await mailedLink(zoe.email);
    const second = await mailedLink(zoe.email, 2);
    expect((await open(first)).status).toBe(404);
    expect((await open(second)).status).toBe(200);
    const form = { old_password: demoPassword, new_password: newPassword };
    const changed = await chat.client.patch<{ msg: string }>('/api/v1/settings', {
      form,
      headers: createBasicAuthorization(zoe.email, zoe.apiKey),
    });
    expect(changed.body.msg).toBe('');
    expect((await open(second)).status).toBe(404);
    const third = await mailedLink(zoe.email, 3);
    const rename = 'UPDATE users SET delivery_email_key = $2 WHERE id = $1';
    await chat.runtime.database.query(rename, [zoe.id, 'zoe2@example.com']);
    expect((await open(third)).status).toBe(404);
    await chat.runtime.database.query(rename, [zoe.id, 'zoe@example.com']);
    expect((await open(third)).status).toBe(200);
    await chat.runtime.database.query("UPDATE password_resets SET expires_at = now() - interval '1 second'");
    expect((await submit(third, { password: newPassword })).status).toBe(404);
  });
});
