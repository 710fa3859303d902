import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createBasicAuthorization,
  type ChatCluster,
  chatCluster,
  type ChatProcess,
} from '../../../../test/chat-server.js';
import { ids, realmArchive, tarEntries, writeTar } from '../../../../test/realm-archive.js';
import { importRealm } from './import-realm.js';

type Body = Record<string, unknown>;

let cluster: ChatCluster;
let chat: ChatProcess;
let folder: string;
let report: string;

beforeAll(async () => {
  cluster = await chatCluster({ withDemo: false });
  chat = await cluster.start();
  folder = await mkdtemp(join(tmpdir(), 'archive-'));
  await writeTar(join(folder, 'export.tar.gz'), tarEntries(await realmArchive()));
  report = await importRealm(chat.runtime, {
    path: join(folder, 'export.tar.gz'),
    host: 'chat.example.com',
    publicUrl: undefined,
    stringId: undefined,
  });
});
afterAll(async () => {
  await cluster.stop();
  await rm(folder, { recursive: true, force: true });
});

async function clientOf(name: string) {
  const form = { username: `${name}@example.com` };
  const { body } = await chat.client.post<{ api_key: string; email: string }>('/api/v1/dev_fetch_api_key', { form });
  return chat.client.withHeaders(createBasicAuthorization(body.email, body.api_key));
}

async function get(name: string, url: string): Promise<Body> {
  return (await (await clientOf(name)).get<Body>(url)).body;
}

async function messagesOf(name: string, narrow: object[] = []): Promise<Body[]> {
  const query = new URLSearchParams({
    anchor: 'newest',
    num_before: '100',
    num_after: '0',
    narrow: JSON.stringify(narrow),
  });
  return (await get(name, `/api/v1/messages?${query}`))['messages'] as Body[];
}

async function register(name: string): Promise<Body> {
  const client = await clientOf(name);
  return (await client.post<Body>('/api/v1/register', { form: { client_gravatar: 'false' } })).body;
}

describe('import-realm', () => {
  it('reports how many rows were imported and how many were omitted', () => {
    expect(report).toContain('Imported the organization Acme.');
    expect(report).toMatch(/ 9 messages\n/);
    for (const reason of [
      '1 messages of unknown users or conversations',
      '1 linkifiers with an unsupported pattern',
      '1 rights can_forge_sender',
      '1 rows of zerver_realmauditlog',
      '1 reactions of unknown users, messages or emoji',
    ]) {
      expect(report).toContain(reason);
    }
  });

  it('imports users with their bots, roles and settings', async () => {
    const snapshot = await register('ana');
    expect(snapshot).toMatchObject({
      user_id: ids.ana,
      is_owner: true,
      realm_name: 'Acme',
      realm_default_language: 'de',
      realm_topics_policy: 'disable_empty_topic',
      realm_enable_read_receipts: true,
      realm_plan_type: 1,
      realm_new_stream_announcements_stream_id: ids.general,
      realm_user_settings_defaults: expect.objectContaining({
        enter_sends: true,
        email_address_visibility: 3,
        twenty_four_hour_time: null,
      }),
      user_settings: expect.objectContaining({ twenty_four_hour_time: true, timezone: 'Europe/Berlin' }),
      alert_words: ['Deploy'],
      muted_users: [{ id: ids.cid, timestamp: 1_700_000_000 }],
      saved_snippets: [{ id: 4, title: 'Greeting', content: 'Hello\u2028you!', date_created: 1_700_000_000 }],
      navigation_views: [{ fragment: 'inbox', is_pinned: true, name: null }],
      user_status: {
        [ids.ben]: {
          status_text: 'away',
          emoji_name: 'acme',
          emoji_code: String(ids.emoji),
          reaction_type: 'realm_emoji',
        },
      },
      scheduled_messages: [
        expect.objectContaining({
          scheduled_message_id: 9,
          to: ids.general,
          topic: 'Later',
          rendered_content: '<p>soon</p>',
        }),
      ],
      realm_playgrounds: [expect.objectContaining({ name: 'Rust' })],
      realm_domains: [{ domain: 'example.com', allow_subdomains: true }],
      custom_profile_fields: [expect.objectContaining({ id: 3, name: 'Mentor', type: 6 })],
      channel_folders: [expect.objectContaining({ id: 5, name: 'Work' })],
      realm_bots: [expect.objectContaining({ user_id: ids.bot, api_key: expect.stringMatching(/^.{32}$/) })],
    });
    expect(await get('ana', '/api/v1/realm/linkifiers')).toMatchObject({
      linkifiers: [{ id: 1, pattern: '#(?P<id>[0-9]+)' }],
    });
    expect(snapshot['realm_users']).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          user_id: ids.ben,
          full_name: 'Ben',
          role: 400,
          profile_data: { '3': expect.objectContaining({ value: `[${ids.ana}]` }) },
        }),
        expect.objectContaining({ user_id: ids.cid, role: 600 }),
        expect.objectContaining({ user_id: ids.bot, is_bot: true, bot_type: 3, bot_owner_id: ids.ana }),
      ]),
    );
    expect(snapshot['realm_non_active_users']).toEqual([expect.objectContaining({ user_id: ids.dora })]);
    expect(snapshot['cross_realm_bots']).toContainEqual(expect.objectContaining({ user_id: ids.welcomeBot }));
    expect(await register('ben')).toMatchObject({
      user_settings: expect.objectContaining({
        translate_emoticons: true,
        resolved_topic_notice_auto_read_policy: 'never',
      }),
    });
  });

  it('imports groups, and permissions that name anonymous groups', async () => {
    const snapshot = await register('ana');
    expect(snapshot['realm_user_groups']).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ id: 9, name: 'engineers', creator_id: ids.ana, members: [ids.ben] }),
        expect.objectContaining({ name: 'role:owners', members: [ids.ana] }),
        expect.objectContaining({ name: 'role:everyone', members: [ids.cid] }),
      ]),
    );
    expect(snapshot['realm_can_create_groups']).toEqual({ direct_members: [ids.ben], direct_subgroups: [9] });
    const { rows } = await chat.runtime.database.query("SELECT 1 FROM user_groups WHERE kind = 'anonymous'");
    expect(rows).toHaveLength(1);
  });

  it('imports channels and subscriptions', async () => {
    const snapshot = await register('ben');
    expect(snapshot['subscriptions']).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          stream_id: ids.general,
          folder_id: 5,
          rendered_description: '<p>About <em>general</em></p>',
          email_notifications: true,
          color: '#a6c7e5',
          subscriber_count: 2,
          first_message_id: 101,
        }),
        expect.objectContaining({
          stream_id: ids.secret,
          invite_only: true,
          history_public_to_subscribers: false,
          topics_policy: 'empty_topic_only',
          subscriber_count: 1,
        }),
      ]),
    );
    expect(snapshot['realm_default_streams']).toEqual([ids.general]);
    expect((await register('ana'))['unsubscribed']).toEqual([expect.objectContaining({ stream_id: ids.secret })]);
    const { streams } = await get('ana', '/api/v1/streams?include_all=true&exclude_archived=false');
    expect(streams).toEqual(
      expect.arrayContaining([expect.objectContaining({ stream_id: ids.old, is_archived: true })]),
    );
  });

  it('renders messages again, with the names that users and channels had at the time of sending', async () => {
    const [first, edited] = await messagesOf('ana', [{ operator: 'channel', operand: 'general' }]);
    expect(first).toMatchObject({
      id: 101,
      subject: 'Hello',
      client: 'website',
      reactions: [
        expect.objectContaining({ emoji_code: String(ids.emoji), user_id: ids.ben }),
        expect.objectContaining({ emoji_name: '+1', user_id: ids.cid }),
      ],
    });
    expect(first?.['content']).toContain(`<span class="user-mention" data-user-id="${ids.ben}">@Old Ben</span>`);
    expect(first?.['content']).toContain('<span class="user-group-mention" data-user-group-id="9">@engineers</span>');
    expect(first?.['content']).toContain('#<strong>secret</strong>');
    expect(first?.['content']).toContain('href="/#narrow/channel/21-general/topic/Hello/with/101"');
    expect(edited).toMatchObject({
      content: '<p>after &lt;b&gt;</p>',
      last_edit_timestamp: 1_700_005_000,
      last_moved_timestamp: 1_700_004_000,
      edit_history: [
        {
          user_id: ids.ben,
          timestamp: 1_700_005_000,
          prev_content: 'before <i>',
          prev_rendered_content: '<p>before &lt;i&gt;</p>',
        },
        { user_id: ids.ana, timestamp: 1_700_004_000, prev_topic: 'Bye', topic: 'Hello' },
      ],
    });
  });

  it('imports direct messages, flags and unread messages', async () => {
    const direct = await messagesOf('ben', [{ operator: 'is', operand: 'dm' }]);
    expect(direct.map((message) => [message['id'], message['flags']])).toEqual([
      [104, []],
      [105, ['read']],
      [106, []],
    ]);
    const starred = await messagesOf('ana', [{ operator: 'is', operand: 'starred' }]);
    expect(starred.map((message) => message['id'])).toEqual([102]);
    expect((await register('ben'))['unread_msgs']).toMatchObject({
      mentions: [101],
      pms: [expect.objectContaining({ other_user_id: ids.ana, unread_message_ids: [104] })],
      huddles: [expect.objectContaining({ unread_message_ids: [106] })],
      streams: [expect.objectContaining({ stream_id: ids.general, topic: 'Hello', unread_message_ids: [101] })],
    });
    expect(await messagesOf('ana', [{ operator: 'channel', operand: 'secret' }])).toEqual([]);
  });

  it('merges topics that differ only in letter case, and makes messages searchable', async () => {
    expect(await get('ana', `/api/v1/users/me/${ids.general}/topics`)).toMatchObject({
      topics: [expect.objectContaining({ max_id: 103 })],
    });
    const found = await messagesOf('ana', [{ operator: 'search', operand: 'notes' }]);
    expect(found.map((message) => message['id'])).toEqual([103]);
  });

  it('imports uploaded files, avatars and emoji', async () => {
    const [message] = await messagesOf('ana', [{ operator: 'id', operand: 103 }]);
    const url = /href="([^"]+)"/.exec(String(message?.['content']))?.[1] ?? '';
    const file = await (await clientOf('ben')).get(url, { unchecked: true });
    expect([file.status, file.text]).toEqual([200, 'some notes']);
    expect(await get('ana', '/api/v1/attachments')).toMatchObject({
      upload_space_used: 10,
      attachments: [expect.objectContaining({ id: ids.file, name: 'notes.txt', message_ids: [103] })],
    });
    const { user } = (await get('ben', `/api/v1/users/${ids.ana}`)) as { user: Body };
    expect(user['avatar_url']).toBe(`/avatar/${ids.ana}?version=3`);
    const { emoji } = (await get('ben', '/api/v1/realm/emoji')) as { emoji: Record<string, Body> };
    expect(emoji).toMatchObject({ [ids.emoji]: { name: 'acme', deactivated: false, author_id: ids.ana } });
    const picture = await chat.client.get(String(emoji[ids.emoji]?.['source_url']), { unchecked: true });
    expect(picture.status).toBe(200);
  });

  it('gives new messages ids above those of the archive', async () => {
    const form = { type: 'stream', to: 'general', topic: 'Hello', content: 'new @**Ben**' };
    const { body } = await (await clientOf('ana')).post<{ id: number }>('/api/v1/messages', { form });
    expect(body.id).toBeGreaterThan(109);
    const [newest] = (await messagesOf('ben')).slice(-1);
    expect(newest).toMatchObject({ id: body.id, flags: ['mentioned'] });
  });

  it('refuses a database with an organization that has users', async () => {
    const request = {
      path: join(folder, 'export.tar.gz'),
      host: 'chat.example.com',
      publicUrl: undefined,
      stringId: undefined,
    };
    await expect(importRealm(chat.runtime, request)).rejects.toThrow('An import needs an empty database.');
  });
});
