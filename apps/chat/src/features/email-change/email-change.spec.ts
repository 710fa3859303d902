import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createBasicAuthorization,
  type ChatCluster,
  chatCluster,
  type ChatProcess,
  type DemoUser,
  signIn,
} from '../../../test/chat-server.js';
import { openTestEventQueue } from '../../../test/test-event-queue.js';
import { Mailbox } from '../../../test/test-mailbox.js';

let cluster: ChatCluster;
let chat: ChatProcess;
let hamlet: DemoUser;
let iago: DemoUser;

type Json = Record<string, unknown>;

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start();
  [hamlet, iago] = await Promise.all([signIn(chat, 'hamlet'), signIn(chat, 'iago')]);
});
afterAll(() => cluster.stop());

const ask = async (user: DemoUser, email: string) => {
  return (await user.client.patch<Json>('/api/v1/settings', { form: { email } })).body['msg'];
};
/** Returns the URL path of the confirmation link in the newest email to the given address. */
async function mailedLink(to: string): Promise<string> {
  return /\/accounts\/confirm_new_email\/[0-9a-f]+/.exec(await new Mailbox(chat).newest(to))?.[0] ?? '';
}

describe('PATCH /settings: email', () => {
  it('mails a link to the new address, and changes the address when the link is opened', async () => {
    const queue = await openTestEventQueue(chat, iago, ['realm_user']);
    expect(await ask(hamlet, 'prince@example.com')).toBe('');
    expect(await queue.read()).toEqual([]);
    const link = await mailedLink('prince@example.com');
    expect(link).not.toBe('');
    expect((await chat.client.get(link, { unchecked: true })).status).toBe(200);
    expect((await chat.client.get(link, { unchecked: true })).status).toBe(404);
    const person = { user_id: hamlet.id, delivery_email: 'prince@example.com' };
    expect(await queue.read()).toContainEqual({ type: 'realm_user', op: 'update', person });
    const client = chat.client.withHeaders(createBasicAuthorization('prince@example.com', hamlet.apiKey));
    expect((await client.get<Json>('/api/v1/users/me')).body['delivery_email']).toBe('prince@example.com');
  });

  it('sends a notification to the old email address', async () => {
    const aaron = await signIn(chat, 'aaron');
    await ask(aaron, 'queen@example.com');
    expect((await chat.client.get(await mailedLink('queen@example.com'), { unchecked: true })).status).toBe(200);
    const mail = await new Mailbox(chat).newest(aaron.email);
    expect(mail).toContain('now has the address queen@example.com instead of this one');
  });

  it('validates the new address again when the user opens the link', async () => {
    const othello = await signIn(chat, 'othello');
    const realm = (form: Record<string, string | boolean>) => iago.client.patch<Json>('/api/v1/realm', { form });
    const open = async () => {
      const { status, text } = await chat.client.get(await mailedLink('moor@example.com'), { unchecked: true });
      return { status, text };
    };
    expect(await ask(othello, 'moor@example.com')).toBe('');
    await realm({ email_changes_disabled: true });
    const refused = { status: 400, text: expect.stringContaining('Email address changes are disabled') };
    expect(await open()).toEqual(refused);
    await realm({ email_changes_disabled: false });
    await chat.runtime.database.query(
      "INSERT INTO realm_domains (realm_id, domain, allow_subdomains) SELECT id, 'acme.test', false FROM realms",
    );
    const desdemona = await signIn(chat, 'desdemona');
    const restrict = (value: boolean) =>
      desdemona.client.patch<Json>('/api/v1/realm', { form: { emails_restricted_to_domains: value } });
    expect((await restrict(true)).body['msg']).toBe('');
    expect(await open()).toMatchObject({ status: 400 });
    expect((await restrict(false)).body['msg']).toBe('');
    expect(await open()).toMatchObject({ status: 200 });
    expect(await open()).toMatchObject({ status: 404 });
  });

  it('rejects further changes with RATE_LIMIT_HIT when an account reaches the limit of requests', async () => {
    const strict = await cluster.start({ RATE_LIMIT_EMAIL_CHANGE_BY_USER: '600:1' });
    const zoe = await signIn(strict, 'ZOE');
    expect(await ask(zoe, zoe.email)).toBe('');
    expect(await ask(zoe, 'zoe1@example.com')).toBe('');
    const form = { email: 'zoe2@example.com' };
    const refused = await zoe.client.patch<Json>('/api/v1/settings', { form });
    expect(refused).toMatchObject({ status: 429, body: { code: 'RATE_LIMIT_HIT' } });
  });

  it.each([
    ['no address', 'somewhere', 'Enter a valid email address.'],
    ['that of another account', 'CORDELIA@example.com', "Email 'CORDELIA@example.com' already in use"],
  ])('rejects an invalid address: %s', async (_name, email, msg) => {
    expect(await ask(iago, email)).toBe(msg);
  });
});
