/**
 * Generates the rows of the chat database; no other file of the benchmark names its tables and columns. A migration
 * that adds a column without a default, or a table that the service expects to be filled, requires changes here.
 * `fillVersion` must be incremented too.
 */
import type { GeneratedTable } from '../scale-app.js';
import type { CopiedColumnValue } from '../copy-rows.js';
import { benchmarkCredentialKeys, deriveCredentialFromName } from '../benchmark-secrets.js';
import type { GeneratedChatIds } from './generated-chat-ids.js';
import { GeneratedMessageHistory } from './generated-messages.js';
import {
  getChannelName,
  listSubscribedChannels,
  getUserEmail,
  isPrivateChannel,
  specialUserNumbers,
  userRoleCodes,
  getUserRoleCode,
} from './generated-users.js';

export const chatDatabaseFillVersion = 3;

const secondsBetweenMessages = 6;
const daysSinceLastActivity = 60;
const millisecondsPerDay = 86_400_000;

/** Returns the tables of the chat database to fill, in the order that their foreign keys require. */
export function createChatTables(ids: GeneratedChatIds): GeneratedTable[] {
  return [
    createUsersTable(ids),
    createUserGroupMembersTable(ids),
    createUserActivityTable(ids),
    createChannelsTable(ids),
    createRecipientsTable(ids),
    createSubscriptionsTable(ids),
    createMessagesTable(ids),
    createMessageTextsTable(ids),
    createTopicsTable(ids),
    createUserMessagesTable(ids),
    createUserTopicsTable(ids),
    createReactionsTable(ids),
  ];
}

function createUsersTable({ size, realmId, user }: GeneratedChatIds): GeneratedTable {
  const columns = ['id', 'realm_id', 'delivery_email', 'delivery_email_key', 'full_name', 'role', 'api_key_sealed'];
  return {
    table: 'users',
    columns: [...columns, 'api_key_digest', 'api_key_pepper_id'],
    rows: function* () {
      for (let n = 1; n <= size.people; n += 1) {
        const key = deriveCredentialFromName(getUserEmail(n));
        const { digest, pepperId } = benchmarkCredentialKeys.pepper.digestUnderCurrentPepper(key);
        const sealed = benchmarkCredentialKeys.box.seal(key, `chat:user:${user(n)}:api_key`);
        yield [
          user(n),
          realmId,
          getUserEmail(n),
          getUserEmail(n),
          `Person ${n}`,
          getUserRoleCode(n),
          sealed,
          digest,
          pepperId,
        ];
      }
    },
  };
}

function createUserGroupMembersTable({ size, roleGroups, user }: GeneratedChatIds): GeneratedTable {
  const names: Readonly<Record<number, string>> = {
    [userRoleCodes.administrator]: 'role:administrators',
    [userRoleCodes.member]: 'role:fullmembers',
    [userRoleCodes.guest]: 'role:everyone',
  };
  return {
    table: 'user_group_members',
    columns: ['group_id', 'user_id'],
    rows: function* () {
      for (let n = 1; n <= size.people; n += 1) yield [roleGroups.get(names[getUserRoleCode(n)] ?? '') ?? 0, user(n)];
    },
  };
}

function createUserActivityTable({ size, user, filledAt }: GeneratedChatIds): GeneratedTable {
  return {
    table: 'user_activity',
    columns: ['user_id', 'last_request_at'],
    rows: function* () {
      const away = new Date(filledAt - daysSinceLastActivity * millisecondsPerDay);
      for (let n = 1; n <= size.people; n += 1) yield [user(n), n <= size.activePeople ? new Date(filledAt) : away];
    },
  };
}

function createChannelsTable({ size, realmId, channel, channelGroups }: GeneratedChatIds): GeneratedTable {
  const groups = Object.entries(channelGroups);
  return {
    table: 'channels',
    columns: ['id', 'realm_id', 'name', 'name_key', 'is_private', ...groups.map(([name]) => name)],
    rows: function* () {
      for (let c = 0; c < size.channels; c += 1) {
        const name = getChannelName(c);
        yield [channel(c), realmId, name, name, isPrivateChannel(c), ...groups.map(([, id]) => id)];
      }
    },
  };
}

function createRecipientsTable(ids: GeneratedChatIds): GeneratedTable {
  return {
    table: 'recipients',
    columns: ['id', 'realm_id', 'channel_id', 'participants_key', 'participant_ids'],
    rows: function* () {
      for (let c = 0; c < ids.size.channels; c += 1)
        yield [ids.channelRecipient(c), ids.realmId, ids.channel(c), null, null];
      for (const { id, key, userIds } of ids.listDirectMessageRecipients()) yield [id, ids.realmId, null, key, userIds];
    },
  };
}

function createSubscriptionsTable({ size, user, channel }: GeneratedChatIds): GeneratedTable {
  return {
    table: 'subscriptions',
    columns: ['user_id', 'channel_id', 'color'],
    rows: function* () {
      for (let n = 1; n <= size.people; n += 1) {
        for (const c of listSubscribedChannels(n, size)) yield [user(n), channel(c), '#76ce90'];
      }
    },
  };
}

function createMessagesTable(ids: GeneratedChatIds): GeneratedTable {
  const { size, realmId, user, message: idOf, filledAt, clientId } = ids;
  const columns = ['id', 'realm_id', 'sender_id', 'recipient_id', 'client_id', 'topic_id'];
  return {
    table: 'messages',
    columns: [...columns, 'has_link', 'has_attachment', 'has_image', 'date_sent'],
    bulk: true,
    withoutTriggers: true,
    rows: function* () {
      const conversation = new GeneratedMessageHistory(size);
      const start = filledAt - size.messages * secondsBetweenMessages * 1000;
      for (let i = 0; i < size.messages; i += 1) {
        const { sender, channel, people, topic, hasLink, hasAttachment, hasImage } = conversation.generateMessage(i);
        const recipient = channel === null ? ids.getDirectMessageRecipientId(people) : ids.channelRecipient(channel);
        const sent = new Date(start + i * secondsBetweenMessages * 1000);
        const topicId = channel === null ? null : ids.getChannelTopicId(channel, topic);
        const places: CopiedColumnValue[] = [idOf(i), realmId, user(sender), recipient, clientId, topicId];
        yield [...places, hasLink, hasAttachment, hasImage, sent];
      }
    },
  };
}

function createMessageTextsTable({ size, message: idOf }: GeneratedChatIds): GeneratedTable {
  return {
    table: 'message_texts',
    columns: ['message_id', 'content', 'rendered_content', 'rendered_version'],
    bulk: true,
    rows: function* () {
      const conversation = new GeneratedMessageHistory(size);
      for (let i = 0; i < size.messages; i += 1) {
        const { content } = conversation.generateMessage(i);
        yield [idOf(i), content, `<p>${content}</p>`, 1];
      }
    },
  };
}

function createTopicsTable(ids: GeneratedChatIds): GeneratedTable {
  return {
    table: 'topics',
    columns: ['id', 'recipient_id', 'topic_key', 'topic'],
    bulk: true,
    rows: function* () {
      for (const { id, channel, name } of ids.listChannelTopics())
        yield [id, ids.channelRecipient(channel), name, name];
    },
  };
}

function createUserMessagesTable({ size, user, message: idOf }: GeneratedChatIds): GeneratedTable {
  return {
    table: 'user_messages',
    columns: ['user_id', 'message_id', 'flags'],
    bulk: true,
    rows: function* () {
      const conversation = new GeneratedMessageHistory(size);
      for (let i = 0; i < size.messages; i += 1) {
        for (const [n, flags] of conversation.getFlagsByRecipient(i, conversation.generateMessage(i)))
          yield [user(n), idOf(i), flags];
      }
    },
  };
}

/** Returns the rows of `user_topics`: the user `heavy` mutes two topics of early messages and follows one. */
function createUserTopicsTable({ user, channel }: GeneratedChatIds): GeneratedTable {
  const topics = [
    ['✔ old 1', 1],
    ['✔ old 2', 1],
    ['topic 9', 3],
  ] as const;
  return {
    table: 'user_topics',
    columns: ['user_id', 'channel_id', 'topic', 'topic_key', 'visibility_policy'],
    rows: function* () {
      for (let c = 6; c < 12; c += 1) {
        for (const [topic, policy] of topics) yield [user(specialUserNumbers.heavy), channel(c), topic, topic, policy];
      }
    },
  };
}

function createReactionsTable({ size, user, message: idOf }: GeneratedChatIds): GeneratedTable {
  return {
    table: 'reactions',
    columns: ['message_id', 'user_id', 'emoji_name', 'emoji_code', 'reaction_type'],
    rows: function* () {
      const conversation = new GeneratedMessageHistory(size);
      for (let i = 0; i < size.messages; i += 50) {
        yield [idOf(i), user(conversation.generateMessage(i).sender), 'tada', '1f389', 'unicode_emoji'];
      }
    },
  };
}

/**
 * SQL statements that run after the tables are filled. The statements set each sequence to continue after the generated
 * ids, and limit guests to seeing users in shared conversations.
 */
export const chatTableCompletionStatements: readonly string[] = [
  ...['users', 'channels', 'recipients', 'topics', 'messages'].map(
    (table) => `SELECT setval(pg_get_serial_sequence('${table}', 'id'), (SELECT max(id) FROM ${table}))`,
  ),
  `UPDATE realm_permissions p SET group_id = g.id FROM user_groups g
   WHERE p.setting = 'can_access_all_users_group' AND g.realm_id = p.realm_id AND g.name = 'role:members'`,
];

/**
 * SQL statements that run on a copy of the filled database before the service starts. After the statements, users who
 * were active when the database was filled are active today.
 */
export const chatStatementsBeforeServiceStart: readonly string[] = [
  `UPDATE user_activity SET last_request_at = now()
   WHERE last_request_at > (SELECT max(last_request_at) - interval '1 day' FROM user_activity)`,
];
