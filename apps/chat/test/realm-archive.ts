import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import {
  channelPermissionSettings,
  userGroupPermissionNames,
  realmPermissions,
} from '../src/core/access/permission-settings.js';
import { systemGroupNames } from '../src/core/user-groups/index.js';
import { picture } from './upload-forms.js';

/** Files of an export archive by path: bytes, or objects that are written as JSON. */
export type ArchiveFiles = Record<string, object | Buffer>;

type Row = Record<string, unknown>;

/** Time of the oldest rows in the test archive, in UNIX seconds. */
const start = 1_700_000_000;

const groupIds = new Map<string, number>(systemGroupNames.map((name, index) => [name, index + 1]));
const systemGroup = (name: string): number => groupIds.get(name) ?? 0;
const engineers = 9;
const benAndEngineers = 10;
const unusedGroup = 11;

/** Ids of users, channels and recipients in the test archive. */
export const ids = {
  ana: 8,
  ben: 9,
  cid: 10,
  bot: 11,
  dora: 12,
  welcomeBot: 6,
  general: 21,
  secret: 22,
  old: 23,
  emoji: 31,
  file: 41,
} as const;

const toGeneral = 60;
const toSecret = 61;
const toOld = 62;
const toUser = (id: number): number => 100 + id;
const toGroup = 80;

function user(id: number, name: string, role: number, more: Row = {}): Row {
  return {
    id,
    realm: 2,
    delivery_email: `${name.toLowerCase()}@example.com`,
    email: `user${id}@zulip.example.com`,
    full_name: name,
    role,
    is_active: true,
    is_bot: false,
    bot_type: null,
    bot_owner: null,
    is_mirror_dummy: false,
    is_imported_stub: false,
    date_joined: start + id,
    last_login: null,
    long_term_idle: false,
    last_active_message_id: null,
    timezone: 'Europe/Berlin',
    avatar_source: 'G',
    avatar_version: 1,
    email_address_visibility: 1,
    can_forge_sender: false,
    resolved_topic_notice_auto_read_policy: 2,
    default_sending_stream: null,
    default_events_register_stream: null,
    default_all_public_streams: false,
    twenty_four_hour_time: true,
    user_permissions: [],
    groups: [],
    ...more,
  };
}

function channel(id: number, name: string, more: Row = {}): Row {
  const permissions = Object.entries(channelPermissionSettings).map(([key, { initial }]) => [
    key,
    systemGroup(initial),
  ]);
  return {
    id,
    realm: 2,
    name,
    description: `About *${name}*`,
    rendered_description: '<script>alert(1)</script>',
    date_created: start,
    creator: ids.ana,
    deactivated: false,
    folder: null,
    invite_only: false,
    history_public_to_subscribers: true,
    is_web_public: false,
    topics_policy: 1,
    message_retention_days: null,
    is_recently_active: true,
    ...Object.fromEntries(permissions),
    ...more,
  };
}

function message(id: number, sender: number, recipient: number, content: string, more: Row = {}): Row {
  return {
    id,
    sender,
    recipient,
    realm: 2,
    type: 1,
    subject: 'Hello',
    content,
    rendered_content: `<p>${content}</p>`,
    rendered_content_version: 1,
    date_sent: start + 1000 + id,
    last_edit_time: null,
    edit_history: null,
    sending_client: 1,
    has_attachment: false,
    has_image: false,
    has_link: false,
    ...more,
  };
}

const filePath = `2/ab/c2VjcmV0/notes.txt`;

const messages = [
  message(101, ids.ana, toGeneral, 'Hi @**Old Ben** and @*engineers*, see #**secret** and #**general>Hello**', {
    rendered_content:
      `<p>Hi <span class="user-mention" data-user-id="${ids.ben}">@Old Ben</span> and ` +
      `<span class="user-group-mention" data-user-group-id="${engineers}">@engineers</span>, see #<strong>secret</strong> and ` +
      `<a class="stream-topic" data-stream-id="${ids.general}" href="/#narrow/channel/21-general/topic/Hello/with/101">#general &gt; Hello</a></p>`,
  }),
  message(102, ids.ben, toGeneral, 'after <b>', {
    last_edit_time: start + 5000,
    edit_history: JSON.stringify([
      {
        user_id: ids.ben,
        timestamp: start + 5000,
        prev_content: 'before <i>',
        prev_rendered_content: '<script>',
        prev_rendered_content_version: 1,
      },
      { user_id: ids.ana, timestamp: start + 4000, prev_topic: 'Bye', topic: 'Hello' },
    ]),
  }),
  message(103, ids.ana, toGeneral, `[notes](/user_uploads/${filePath})`, { subject: 'hello', has_attachment: true }),
  message(104, ids.ana, toUser(ids.ben), 'psst', { subject: '' }),
  message(105, ids.ben, toUser(ids.ana), 'what', { subject: '\u0007' }),
  message(106, ids.ana, toGroup, 'all three', { subject: '' }),
  message(107, ids.ben, toSecret, 'hidden'),
  message(108, ids.welcomeBot, toUser(ids.ana), 'Welcome!', { subject: '' }),
  message(109, ids.dora, toOld, 'from a former user'),
  message(110, 999, toGeneral, 'from an unknown user'),
];

const flags: readonly (readonly [number, number, number])[] = [
  [ids.ana, 101, 1],
  [ids.ben, 101, 8 | 64],
  [ids.ana, 102, 1 | 2],
  [ids.ben, 102, 1],
  [ids.ana, 103, 1],
  [ids.ana, 104, 1 | 2048],
  [ids.ben, 104, 2048],
  [ids.ana, 105, 2048 | 4096],
  [ids.ben, 105, 1 | 2048],
  [ids.ana, 106, 1 | 2048],
  [ids.ben, 106, 2048],
  [ids.cid, 106, 2048],
  [ids.ben, 107, 1],
  [ids.ana, 108, 2048],
];

function subscription(id: number, userId: number, recipient: number, more: Row = {}): Row {
  const settings = { active: true, is_user_active: true, is_muted: false, color: '#A6C7E5', pin_to_top: false };
  return { id, user_profile: userId, recipient, ...settings, email_notifications: null, ...more };
}

function realmTables(): Record<string, Row[]> {
  const permissions = Object.entries(realmPermissions).map(([key, { initial }]) => [key, systemGroup(initial)]);
  const groupSettings = (nobody: number) => Object.fromEntries(userGroupPermissionNames.map((name) => [name, nobody]));
  return {
    zerver_realm: [
      {
        id: 2,
        string_id: 'acme',
        name: 'Acme',
        description: 'Makers of *everything*',
        uuid: '0b1f8f0e-7a9b-4a53-8a62-9c8f5b7ad001',
        date_created: start,
        deactivated: false,
        icon_source: 'G',
        icon_version: 1,
        ...Object.fromEntries(permissions),
        can_create_groups: benAndEngineers,
        new_stream_announcements_stream: ids.general,
        signup_announcements_stream: null,
        topics_policy: 3,
        message_edit_history_visibility_policy: 1,
        enable_read_receipts: true,
        default_language: 'de',
        plan_type: 3,
        workplace_users_group: unusedGroup,
      },
    ],
    zerver_realmuserdefault: [
      { id: 1, realm: 2, enter_sends: true, email_address_visibility: 3, twenty_four_hour_time: null },
    ],
    zerver_userprofile: [
      user(ids.ana, 'Ana', 100, { avatar_source: 'U', avatar_version: 3, can_forge_sender: true }),
      user(ids.ben, 'Ben', 400, { translate_emoticons: true, resolved_topic_notice_auto_read_policy: 3 }),
      user(ids.cid, 'Cid', 600),
      user(ids.bot, 'Robot', 400, {
        is_bot: true,
        bot_type: 3,
        bot_owner: ids.ana,
        default_sending_stream: ids.general,
      }),
    ],
    zerver_userprofile_mirrordummy: [user(ids.dora, 'Dora', 400, { is_active: false, is_mirror_dummy: true })],
    zerver_userprofile_crossrealm: [
      { id: ids.welcomeBot, email: 'welcome-bot@zulip.com', recipient_id: toUser(ids.welcomeBot) },
    ],
    zerver_usergroup: [...groupIds.values(), engineers, benAndEngineers, unusedGroup].map((id) => ({ id, realm: 2 })),
    zerver_namedusergroup: [
      ...[...groupIds].map(([name, id]) => ({
        id,
        usergroup_ptr: id,
        name,
        description: name,
        is_system_group: true,
        deactivated: false,
        ...groupSettings(systemGroup('role:nobody')),
      })),
      {
        id: engineers,
        usergroup_ptr: engineers,
        name: 'engineers',
        description: 'They build',
        is_system_group: false,
        creator: ids.ana,
        date_created: start,
        deactivated: false,
        ...groupSettings(systemGroup('role:nobody')),
        can_mention_group: systemGroup('role:everyone'),
      },
    ],
    zerver_usergroupmembership: [
      { id: 1, user_group: engineers, user_profile: ids.ben },
      { id: 2, user_group: benAndEngineers, user_profile: ids.ben },
      { id: 3, user_group: systemGroup('role:owners'), user_profile: ids.ana },
    ],
    zerver_groupgroupmembership: [{ id: 1, supergroup: benAndEngineers, subgroup: engineers }],
    zerver_channelfolder: [
      {
        id: 5,
        realm: 2,
        name: 'Work',
        description: '',
        rendered_description: '',
        order: 0,
        creator: ids.ana,
        date_created: start,
        is_archived: false,
      },
    ],
    zerver_stream: [
      channel(ids.general, 'general', { folder: 5 }),
      channel(ids.secret, 'secret', { invite_only: true, history_public_to_subscribers: false, topics_policy: 4 }),
      channel(ids.old, 'old', { deactivated: true }),
    ],
    zerver_defaultstream: [{ id: 1, realm: 2, stream: ids.general }],
    zerver_recipient: [
      { id: toGeneral, type: 2, type_id: ids.general },
      { id: toSecret, type: 2, type_id: ids.secret },
      { id: toOld, type: 2, type_id: ids.old },
      ...[ids.ana, ids.ben, ids.cid, ids.bot, ids.dora].map((id) => ({ id: toUser(id), type: 1, type_id: id })),
      { id: toGroup, type: 3, type_id: 7 },
    ],
    zerver_subscription: [
      subscription(1, ids.ana, toGeneral, { pin_to_top: true }),
      subscription(2, ids.ben, toGeneral, { email_notifications: true }),
      subscription(3, ids.ben, toSecret),
      subscription(4, ids.ana, toSecret, { active: false }),
      ...[ids.ana, ids.ben, ids.cid].map((id, index) => subscription(10 + index, id, toGroup)),
      subscription(20, ids.ana, toUser(ids.ana)),
    ],
    zerver_huddle: [{ id: 7, huddle_hash: 'x', recipient: toGroup, group_size: 3 }],
    zerver_client: [{ id: 1, name: 'website' }],
    zerver_realmemoji: [
      {
        id: ids.emoji,
        realm: 2,
        author: ids.ana,
        name: 'acme',
        file_name: '31.png',
        is_animated: false,
        deactivated: false,
      },
    ],
    zerver_realmdomain: [{ id: 1, realm: 2, domain: 'example.com', allow_subdomains: true }],
    zerver_realmfilter: [
      {
        id: 1,
        realm: 2,
        pattern: '#(?P<id>[0-9]+)',
        url_template: 'https://example.com/{id}',
        order: 0,
        example_input: null,
        reverse_template: null,
        alternative_url_templates: [],
      },
      { id: 2, realm: 2, pattern: '(', url_template: 'https://example.com', order: 1, alternative_url_templates: [] },
    ],
    zerver_realmplayground: [
      {
        id: 1,
        realm: 2,
        name: 'Rust',
        pygments_language: 'Rust',
        url_template: 'https://play.example.com/?code={code}',
      },
    ],
    zerver_customprofilefield: [
      {
        id: 3,
        realm: 2,
        name: 'Mentor',
        hint: '',
        order: 1,
        field_type: 6,
        field_data: '',
        display_in_profile_summary: true,
        required: false,
      },
    ],
    zerver_customprofilefieldvalue: [
      { id: 1, user_profile: ids.ben, field: 3, value: `[${ids.ana}]`, rendered_value: null },
    ],
    zerver_alertword: [{ id: 1, realm: 2, user_profile: ids.ana, word: 'Deploy' }],
    zerver_muteduser: [{ id: 1, user_profile: ids.ana, muted_user: ids.cid, date_muted: start }],
    zerver_usertopic: [
      {
        id: 1,
        user_profile: ids.ana,
        stream: ids.general,
        recipient: toGeneral,
        topic_name: 'Hello',
        visibility_policy: 3,
        last_updated: start,
      },
    ],
    zerver_savedsnippet: [
      { id: 4, realm: 2, user_profile: ids.ana, title: 'Greeting', content: 'Hello\u2028you!', date_created: start },
    ],
    zerver_navigationview: [{ id: 1, user: ids.ana, fragment: 'inbox', is_pinned: true, name: null }],
    zerver_onboardingstep: [{ id: 1, user: ids.ana, onboarding_step: 'intro_inbox_view_modal', timestamp: start }],
    zerver_userstatus: [
      {
        id: 1,
        user_profile: ids.ben,
        timestamp: start,
        client: 1,
        status_text: 'away',
        emoji_name: 'acme',
        emoji_code: String(ids.emoji),
        reaction_type: 'realm_emoji',
      },
    ],
    zerver_userpresence: [
      {
        id: 1,
        realm: 2,
        user_profile: ids.ana,
        last_active_time: start,
        last_connected_time: start + 60,
        last_update_id: 1,
      },
    ],
    zerver_useractivity: [{ id: 1, user_profile: ids.ana, client: 1, query: 'x', count: 1, last_visit: start }],
    zerver_service: [
      { id: 1, user_profile: ids.bot, name: 'hook', base_url: 'https://bots.example.com/', interface: 1, token: '' },
    ],
    zerver_botstoragedata: [{ id: 1, bot_profile: ids.bot, key: 'count', value: '5' }],
    zerver_scheduledmessage: [
      {
        id: 9,
        realm: 2,
        sender: ids.ana,
        recipient: toGeneral,
        stream: ids.general,
        subject: 'Later',
        content: 'soon',
        rendered_content: '',
        sending_client: 1,
        scheduled_timestamp: 4_000_000_000,
        delivered: false,
        failed: false,
        failure_message: null,
        delivery_type: 1,
        read_by_sender: true,
        reminder_target_message_id: null,
      },
    ],
    zerver_reaction: [
      {
        id: 1,
        message: 101,
        user_profile: ids.ben,
        emoji_name: 'acme',
        emoji_code: String(ids.emoji),
        reaction_type: 'realm_emoji',
      },
      {
        id: 2,
        message: 101,
        user_profile: ids.cid,
        emoji_name: '+1',
        emoji_code: '1f44d',
        reaction_type: 'unicode_emoji',
      },
      {
        id: 3,
        message: 999,
        user_profile: ids.cid,
        emoji_name: '+1',
        emoji_code: '1f44d',
        reaction_type: 'unicode_emoji',
      },
    ],
    zerver_realmauditlog: [{ id: 1, realm: 2, event_type: 215, event_time: start }],
  };
}

/** Returns the files of an export as Zulip writes them. The given tables replace the default ones. */
export async function realmArchive(tables: Record<string, Row[]> = {}): Promise<ArchiveFiles> {
  const file = Buffer.from('some notes');
  const image = await picture(80, 80);
  const upload = {
    realm_id: 2,
    user_profile_id: ids.ana,
    s3_path: filePath,
    path: filePath,
    size: file.length,
    content_type: 'text/plain',
  };
  const avatar = { realm_id: 2, user_profile_id: ids.ana, avatar_version: 3 };
  const emoji = { realm_id: 2, author: ids.ana, file_name: '31.png', name: 'acme', deactivated: false };
  return {
    'migration_status.json': { migrations_by_app: {}, zulip_version: '12.0' },
    'realm.json': { ...realmTables(), ...tables, import_source: 'zulip' },
    'messages-000001.json': {
      zerver_message: messages,
      zerver_usermessage: flags.map(([userId, id, mask], index) => ({
        id: index + 1,
        user_profile: userId,
        message: id,
        flags_mask: mask,
      })),
    },
    'attachment.json': {
      zerver_attachment: [
        {
          id: ids.file,
          realm: 2,
          owner: ids.ana,
          file_name: 'notes.txt',
          path_id: filePath,
          create_time: start,
          size: file.length,
          content_type: 'text/plain',
          is_realm_public: true,
          is_web_public: false,
          messages: [103],
          scheduled_messages: [],
        },
      ],
    },
    'uploads/records.json': [upload],
    [`uploads/${filePath}`]: file,
    'avatars/records.json': [
      { ...avatar, s3_path: '2/hash.png', path: '2/hash.png' },
      { ...avatar, s3_path: '2/hash.original', path: '2/hash.original' },
    ],
    'avatars/2/hash.original': image,
    'avatars/2/hash.png': image,
    'emoji/records.json': [{ ...emoji, s3_path: '2/emoji/images/31.png', path: '2/emoji/images/31.png' }],
    'emoji/2/emoji/images/31.png': image,
    'realm_icons/records.json': [],
  };
}

/** Writes the files of a test archive into a folder. */
export async function writeArchiveFolder(folder: string, files: ArchiveFiles): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    const target = join(folder, path);
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, Buffer.isBuffer(content) ? content : JSON.stringify(content, null, 2));
  }
}

/** An entry of a tar archive: a file, or a link with the type flag of the tar format. */
export interface TarEntry {
  readonly path: string;
  readonly content: Buffer;
  readonly type?: string;
}

/** Writes entries as a gzip-compressed tar archive. */
export async function writeTar(file: string, entries: readonly TarEntry[]): Promise<void> {
  const blocks = entries.flatMap(({ path, content, type = '0' }) => [
    tarHeader(path, content.length, type),
    content,
    Buffer.alloc((512 - (content.length % 512)) % 512),
  ]);
  await writeFile(file, gzipSync(Buffer.concat([...blocks, Buffer.alloc(1024)])));
}

/** Returns the files of an archive as tar entries below one folder. */
export function tarEntries(files: ArchiveFiles): TarEntry[] {
  return Object.entries(files).map(([path, content]) => ({
    path: `export/${path}`,
    content: Buffer.isBuffer(content) ? content : Buffer.from(JSON.stringify(content)),
  }));
}

function tarHeader(path: string, size: number, type: string): Buffer {
  const header = Buffer.alloc(512);
  header.write(path, 0, 100);
  header.write('0000644\0', 100);
  header.write(`${size.toString(8).padStart(11, '0')}\0`, 124);
  header.write('        ', 148);
  header.write(type, 156);
  if (type !== '0') header.write('/etc/passwd', 157);
  header.write('ustar\u000000', 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return header;
}
