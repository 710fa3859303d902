import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChatCluster, chatCluster, type ChatProcess, type DemoUser, signIn } from '../../../test/chat-server.js';
import { openTestEventQueue } from '../../../test/test-event-queue.js';

let cluster: ChatCluster;
let chat: ChatProcess;
let desdemona: DemoUser;
let iago: DemoUser;
let hamlet: DemoUser;
let polonius: DemoUser;

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start();
  [desdemona, iago, hamlet, polonius] = await Promise.all([
    signIn(chat, 'desdemona'),
    signIn(chat, 'iago'),
    signIn(chat, 'hamlet'),
    signIn(chat, 'polonius'),
  ]);
});
afterAll(() => cluster.stop());

interface ResponseBody {
  result: string;
  msg: string;
  code: string;
}

async function invite(user: DemoUser, emails: string): Promise<ResponseBody> {
  const form = { invitee_emails: emails, stream_ids: '[]' };
  return (await user.client.post<ResponseBody>('/api/v1/invites', { form })).body;
}

describe('POST, PATCH and DELETE /realm/domains', () => {
  const domains = async () => (await iago.client.get<{ domains: object[] }>('/api/v1/realm/domains')).body.domains;

  it('lets owners add, change and remove domains, with events to all users', async () => {
    const queue = await openTestEventQueue(chat, hamlet, ['realm_domains']);
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

  it('rejects email addresses of other domains when the organization is restricted to its domains', async () => {
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
