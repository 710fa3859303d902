import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MessageRenderer } from '../../infra/markdown/index.js';
import { resolveMarkdownNames } from './index.js';
import { type ChatCluster, chatCluster, type ChatProcess, type DemoUser, signIn } from '../../../test/chat-server.js';

let cluster: ChatCluster;
let chat: ChatProcess;
let hamlet: DemoUser;
let iago: DemoUser;
let polonius: DemoUser;
let zoe: DemoUser;

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start();
  [hamlet, iago, polonius, zoe] = await Promise.all([
    signIn(chat, 'hamlet'),
    signIn(chat, 'iago'),
    signIn(chat, 'polonius'),
    signIn(chat, 'ZOE'),
  ]);
});
afterAll(() => cluster.stop());

type Json = Record<string, unknown>;

async function send(user: DemoUser, content: string, to = 'Verona', topic = 'content'): Promise<number> {
  const form = { type: 'channel', to, topic, content };
  const { body } = await user.client.post<Json & { id: number }>('/api/v1/messages', { form });
  expect(body).toMatchObject({ msg: '' });
  return body.id;
}

async function sendAndFetchHtml(user: DemoUser, content: string, to?: string): Promise<string> {
  const id = await send(user, content, to);
  const { body } = await user.client.get<{ message: { content: string } }>(`/api/v1/messages/${id}`);
  return body.message.content;
}

async function channelId(name: string): Promise<number> {
  const { rows } = await chat.runtime.database.query<{ id: number }>('SELECT id FROM channels WHERE name = $1', [name]);
  return rows[0]?.id ?? 0;
}

describe('POST /messages: links and mentions in the content', () => {
  it('runs no statement when the content names no user, group or channel', async () => {
    const parsed = new MessageRenderer().parse('Hello **all** :smile: `@**Ada**` https://z.org 10:30');
    const tx = new Proxy(chat.runtime.database, { get: () => expect.unreachable('a statement') });
    const author = { id: hamlet.id, realmId: 1, role: 400 };
    expect((await resolveMarkdownNames(tx, author, parsed)).users.size).toBe(0);
  });

  it('links channels that the author can see, in any letter case', async () => {
    const id = await channelId('core team');
    const link = `<a class="stream" data-stream-id="${id}" href="/#narrow/channel/${id}-core-team">#core team</a>`;
    expect(await sendAndFetchHtml(hamlet, 'see #**Core Team**')).toBe(`<p>see ${link}</p>`);
    expect(await sendAndFetchHtml(iago, '#**core team**')).toBe(`<p>${link}</p>`);
  });

  it('renders the name of a hidden channel as text, like the name of a nonexistent channel', async () => {
    expect(await sendAndFetchHtml(zoe, '#**core team** #**core team>x** #**core team>x@1**')).toBe(
      '<p>#<strong>core team</strong> #<strong>core team&gt;x</strong> #<strong>core team&gt;x@1</strong></p>',
    );
    expect(await sendAndFetchHtml(polonius, '#**Denmark** #**nosuch**')).toBe(
      '<p>#<strong>Denmark</strong> #<strong>nosuch</strong></p>',
    );
    expect(await sendAndFetchHtml(polonius, '#**Verona**')).toContain('class="stream"');
  });

  it('turns a topic reference into a link to the newest message of the topic', async () => {
    const id = await channelId('Verona');
    await send(hamlet, 'one', 'Verona', 'Links (1)');
    const newest = await send(hamlet, 'two', 'Verona', 'Links (1)');
    const href = `/#narrow/channel/${id}-Verona/topic/links.20.281.29/with/${newest}`;
    expect(await sendAndFetchHtml(iago, '#**Verona>links (1)**')).toBe(
      `<p><a class="stream-topic" data-stream-id="${id}" href="${href}">#Verona &gt; links (1)</a></p>`,
    );
    expect(await sendAndFetchHtml(iago, '#**Verona>nothing here**')).toContain('/topic/nothing.20here"');
    expect(await sendAndFetchHtml(iago, `#**Verona>Links (1)@${newest}**`)).toContain(`/near/${newest}"`);
  });

  it('does not link messages that the author cannot read', async () => {
    await send(hamlet, 'secret', 'core team', 'plans');
    expect(await sendAndFetchHtml(hamlet, '#**core team>plans**')).toMatch(/\/topic\/plans\/with\/\d+"/);
    await chat.runtime.database.query('DELETE FROM subscriptions WHERE user_id = $1 AND channel_id = $2', [
      iago.id,
      await channelId('core team'),
    ]);
    expect(await sendAndFetchHtml(iago, '#**core team>plans**')).toMatch(/\/topic\/plans"/);
  });

  it('replaces emoticons by emoji only when the author enables the setting translate_emoticons', async () => {
    expect(await sendAndFetchHtml(zoe, 'fine :)')).toBe('<p>fine :)</p>');
    await chat.runtime.database.query(
      `UPDATE users SET settings = settings || '{"translate_emoticons": true}' WHERE id = $1`,
      [zoe.id],
    );
    expect(await sendAndFetchHtml(zoe, 'fine :)')).toContain('emoji-1f642');
  });

  it('renders mentions of users hidden from a guest as plain text', async () => {
    const mention = '<span class="user-mention" data-user-id="';
    expect(await sendAndFetchHtml(polonius, '@**Desdemona** @**King Hamlet**')).toMatch(`<p>${mention}`);
    const { rows } = await chat.runtime.database.query<{ id: number }>(
      "SELECT id FROM user_groups WHERE name = 'role:members' AND kind = 'system'",
    );
    const form = { can_access_all_users_group: JSON.stringify({ new: rows[0]?.id }) };
    const desdemona = await signIn(chat, 'desdemona');
    expect((await desdemona.client.patch<Json>('/api/v1/realm', { form })).body).toMatchObject({ msg: '' });
    const { rows: hidden } = await chat.runtime.database.query<{ name: string; id: number }>(
      `WITH gone AS (DELETE FROM subscriptions s USING users u WHERE u.id = s.user_id AND u.delivery_email LIKE $1)
       SELECT full_name AS name, id FROM users WHERE delivery_email LIKE $1`,
      ['prospero@%'],
    );
    const [person] = hidden;
    expect(await sendAndFetchHtml(polonius, `@**${person?.name}**`)).toBe(`<p>@<strong>${person?.name}</strong></p>`);
    expect(await sendAndFetchHtml(polonius, `@**${person?.name}|${person?.id}**`)).toMatch(/^<p>@<strong>/);
    expect(await sendAndFetchHtml(hamlet, `@**${person?.name}**`)).toContain(`${mention}${person?.id}"`);
  });

  it('renders a mention of a deactivated user as silent, and prefers an active user with the same name', async () => {
    const { database } = chat.runtime;
    const { rows } = await database.query<{ id: number }>(
      `UPDATE users SET is_active = false WHERE delivery_email LIKE 'prospero@%' RETURNING id`,
    );
    const name = 'Prospero from The Tempest';
    await database.query('UPDATE users SET full_name = $2 WHERE id = $1', [rows[0]?.id, name]);
    expect(await sendAndFetchHtml(hamlet, `@**${name}**`)).toBe(
      `<p><span class="user-mention silent" data-user-id="${rows[0]?.id}">${name}</span></p>`,
    );
    await database.query('UPDATE users SET full_name = $2 WHERE id = $1', [zoe.id, name]);
    expect(await sendAndFetchHtml(hamlet, `@**${name}**`)).toContain(`data-user-id="${zoe.id}">@`);
    await database.query('UPDATE users SET is_active = true WHERE id = $1', [rows[0]?.id]);
    expect(await sendAndFetchHtml(hamlet, `@**${name}**`)).toBe(`<p>@<strong>${name}</strong></p>`);
    expect(await sendAndFetchHtml(hamlet, `@**${name}|${zoe.id}**`)).toContain(`data-user-id="${zoe.id}">@`);
  });
});

describe('POST /messages/render', () => {
  it('returns the rendered HTML with mentions resolved', async () => {
    const { body } = await iago.client.post<{ rendered: string }>('/api/v1/messages/render', {
      form: { content: '**b** @**King Hamlet**' },
    });
    expect(body.rendered).toContain('<strong>b</strong>');
    expect(body.rendered).toContain(`data-user-id="${hamlet.id}"`);
    const empty = await iago.client.post<{ rendered: string }>('/api/v1/messages/render', { form: { content: ' ' } });
    expect(empty.body.rendered).toBe('');
  });
});
