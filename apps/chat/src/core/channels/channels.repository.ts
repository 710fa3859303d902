import type { ChatActor } from '../../infra/http/chat-actor.js';
import { isGroupMemberSql } from '../access/actor-rights.js';
import type { SqlQueryRunner } from '../../infra/sql-reader.js';
import { subscriberCountSql } from './subscriber-counts.js';
import { channelPermissionNames, type ChannelPermission, type WireChannel } from './wire-channel.js';

/**
 * The acting user's subscription to a channel. A null notification setting means that the user's own setting applies.
 */
export interface SubscriptionRow {
  is_active: boolean;
  color: string;
  is_muted: boolean;
  pin_to_top: boolean;
  desktop_notifications: boolean | null;
  audible_notifications: boolean | null;
  push_notifications: boolean | null;
  email_notifications: boolean | null;
  wildcard_mentions_notify: boolean | null;
}

/** Row of the table `channels` with fields of the channel's recipient row. Times are in UNIX seconds. */
export interface StoredChannel extends Record<`${ChannelPermission}_id`, number> {
  id: number;
  name: string;
  description: string;
  rendered_description: string;
  date_created: number;
  creator_id: number | null;
  is_private: boolean;
  is_web_public: boolean;
  is_archived: boolean;
  is_default: boolean;
  history_public_to_subscribers: boolean;
  first_message_id: number | null;
  folder_id: number | null;
  is_recently_active: boolean;
  weekly_traffic: number | null;
  message_retention_days: number | null;
  topics_policy: WireChannel['topics_policy'];
  subscriber_count: number;
}

/** Properties that describe the access of a user to a channel that the user can see. */
export interface ActorChannelAccess {
  id: number;
  is_archived: boolean;
  /**
   * True if the actor can see the channel's subscribers. This is true for all users who can see the channel
   * (docs/contract/chat.md 5.3).
   */
  readable: boolean;
  /** True if the actor can read the channel's messages. */
  content_readable: boolean;
  /** True if the acting user is a bot whose owner subscribes to the channel. */
  owner_subscribed: boolean;
  subscription: SubscriptionRow | null;
}

/** Row of a channel that the acting user can see, with the user's access. */
export type VisibleChannelRow = StoredChannel & ActorChannelAccess;

/** Fields of a channel that change frequently, because sent messages or subscriptions change them. */
export type FrequentlyChangedChannelFields = Pick<StoredChannel, 'id' | 'first_message_id' | 'subscriber_count'>;

/**
 * SQL columns with the {@link FrequentlyChangedChannelFields} except the id. The columns refer to `channels c` and
 * `recipients r`.
 */
const frequentlyChangedChannelColumns = `(SELECT min(m.id) FROM messages m WHERE m.recipient_id = r.id) AS first_message_id,
  ${subscriberCountSql('c.id')} AS subscriber_count`;

/**
 * SQL columns with the fields of {@link StoredChannel}. The columns refer to the tables `channels c` and
 * `recipients r`.
 */
const storedChannelColumns = `c.id, c.name, c.description, c.rendered_description,
  floor(extract(epoch FROM c.date_created))::bigint AS date_created, c.creator_id, c.is_private, c.is_web_public,
  c.is_archived, c.is_default, c.history_public_to_subscribers, c.folder_id, c.is_recently_active, c.weekly_traffic,
  c.message_retention_days, c.topics_policy, ${channelPermissionNames.map((name) => `c.${name}_id`).join(', ')},
  ${frequentlyChangedChannelColumns}`;

/**
 * SQL condition that the user may subscribe themself or other users, and can therefore read the channel. The condition
 * is false for guests.
 */
const canUserAddSubscribersSql = `(NOT me.is_guest AND (${isGroupMemberSql('$2', 'c.can_add_subscribers_group_id')}
  OR ${isGroupMemberSql('$2', 'c.can_subscribe_group_id')}))`;

/** SQL subquery with the user's current role. A reader without an account counts as a guest. */
const selectActorCurrentRoleSql = `(SELECT coalesce(max(role), 600) = 600 AS is_guest, coalesce(max(role), 600) <= 200 AS is_admin
  FROM users WHERE id = $2)`;

const isContentReadableSql = `(c.is_web_public OR s.user_id IS NOT NULL OR (NOT me.is_guest AND NOT c.is_private)
  OR (c.history_public_to_subscribers AND ${canUserAddSubscribersSql}))`;

/**
 * SQL condition that the user can see a channel, even without the right to read its messages (docs/contract/chat.md
 * 5.3). `listChannelAudiences` implements the same rule.
 */
const maySeeChannelSql = `(${isContentReadableSql} OR me.is_admin OR ${canUserAddSubscribersSql}
  OR (NOT me.is_guest AND ${isGroupMemberSql('$2', 'c.can_administer_channel_group_id')}))`;

/** SQL columns of {@link ActorChannelAccess} except the id and `is_archived`. */
const channelAccessColumnsSql = `true AS readable, ${isContentReadableSql} AS content_readable,
  EXISTS (SELECT 1 FROM subscriptions os JOIN users bot ON bot.bot_owner_id = os.user_id
    WHERE bot.id = $2 AND os.channel_id = c.id AND os.is_active) AS owner_subscribed,
  CASE WHEN own.user_id IS NOT NULL THEN to_jsonb(own) - 'user_id' - 'channel_id' END AS subscription`;

const channelAccessTablesSql = `channels c CROSS JOIN ${selectActorCurrentRoleSql} me
  LEFT JOIN subscriptions own ON own.channel_id = c.id AND own.user_id = $2
  LEFT JOIN subscriptions s ON s.channel_id = c.id AND s.user_id = $2 AND s.is_active`;

/**
 * Lists those of the given channels that the actor can see, with the actor's subscription, in one SQL statement. Reads
 * the actor's role from the database, because the role in the request's credentials may be older.
 */
export async function listChannels(
  tx: SqlQueryRunner,
  actor: ChatActor,
  { channelIds }: { readonly channelIds: readonly number[] },
): Promise<VisibleChannelRow[]> {
  const { rows } = await tx.query<VisibleChannelRow>(
    `SELECT ${storedChannelColumns}, ${channelAccessColumnsSql} FROM ${channelAccessTablesSql} JOIN recipients r ON r.channel_id = c.id
     WHERE c.realm_id = $1 AND c.id = ANY($3::bigint[]) AND ${maySeeChannelSql} ORDER BY c.id`,
    [actor.realmId, actor.id, channelIds],
  );
  return rows;
}

/**
 * Lists the actor's access and subscription for all visible channels, or for the visible channels with the given ids.
 */
export async function listChannelAccess(
  tx: SqlQueryRunner,
  actor: ChatActor,
  channelIds?: readonly number[],
): Promise<ActorChannelAccess[]> {
  const { rows } = await tx.query<ActorChannelAccess>(
    `SELECT c.id, c.is_archived, ${channelAccessColumnsSql} FROM ${channelAccessTablesSql}
     WHERE c.realm_id = $1 ${channelIds === undefined ? '' : 'AND c.id = ANY($3::bigint[])'} AND ${maySeeChannelSql} ORDER BY c.id`,
    [actor.realmId, actor.id, ...(channelIds === undefined ? [] : [channelIds])],
  );
  return rows;
}

/** Channels that a user can see, and the user's current and former subscriptions to the channels. */
export interface VisibleChannelIdsAndSubscriptions {
  /** Ids of the channels that the user can see, in ascending order. */
  readonly ids: readonly number[];
  /** Subscriptions of the user, in ascending order of the channel ids. */
  readonly subscriptions: readonly (SubscriptionRow & { readonly channel_id: number })[];
}

/**
 * Reads the ids of all channels that the actor can see, and the actor's subscriptions, as one database row. One row per
 * channel would take several times the memory, which matters when many clients register at the same time.
 */
export async function readVisibleChannelsAndSubscriptions(
  tx: SqlQueryRunner,
  actor: ChatActor,
): Promise<VisibleChannelIdsAndSubscriptions> {
  const { rows } = await tx.query<VisibleChannelIdsAndSubscriptions>(
    `SELECT coalesce(json_agg(c.id ORDER BY c.id), '[]') AS ids,
       coalesce(json_agg(to_jsonb(own) - 'user_id' ORDER BY c.id) FILTER (WHERE own.user_id IS NOT NULL), '[]')
         AS subscriptions
     FROM ${channelAccessTablesSql} WHERE c.realm_id = $1 AND ${maySeeChannelSql}`,
    [actor.realmId, actor.id],
  );
  return rows[0] ?? { ids: [], subscriptions: [] };
}

/**
 * Lists the frequently changing fields of all channels of the realm, or of the channels with the given ids. Executes
 * one SQL statement.
 */
export async function listFrequentlyChangedChannelFields(
  tx: SqlQueryRunner,
  realmId: number,
  channelIds?: readonly number[],
): Promise<FrequentlyChangedChannelFields[]> {
  const { rows } = await tx.query<FrequentlyChangedChannelFields>(
    `SELECT c.id, ${frequentlyChangedChannelColumns} FROM channels c JOIN recipients r ON r.channel_id = c.id
     WHERE c.realm_id = $1 ${channelIds === undefined ? '' : 'AND c.id = ANY($2::bigint[])'}`,
    [realmId, ...(channelIds === undefined ? [] : [channelIds])],
  );
  return rows;
}

/** Lists up to `limit` channels of a realm whose ids are greater than `after`, ordered by id. */
export async function listStoredChannels(
  tx: SqlQueryRunner,
  realmId: number,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<StoredChannel[]> {
  const { rows } = await tx.query<StoredChannel>(
    `SELECT ${storedChannelColumns} FROM channels c JOIN recipients r ON r.channel_id = c.id
     WHERE c.realm_id = $1 AND c.id > $2 ORDER BY c.id LIMIT $3`,
    [realmId, after, limit],
  );
  return rows;
}

/**
 * Reads channels by id without a permission check, in one SQL statement. Used for events whose recipients are already
 * determined.
 */
export async function readChannelsWithoutPermissionCheck(
  tx: SqlQueryRunner,
  channelIds: readonly number[],
): Promise<StoredChannel[]> {
  const { rows } = await tx.query<StoredChannel>(
    `SELECT ${storedChannelColumns} FROM channels c JOIN recipients r ON r.channel_id = c.id WHERE c.id = ANY($1) ORDER BY c.id`,
    [channelIds],
  );
  return rows;
}

/**
 * Lists the active subscribers of the given channels by channel id, in one SQL statement. Each list of user ids is
 * ascending.
 */
export async function listSubscribers(
  tx: SqlQueryRunner,
  channelIds: readonly number[],
): Promise<Map<number, number[]>> {
  const { rows } = await tx.query<{ channel_id: number; user_ids: number[] }>(
    `SELECT s.channel_id, array_agg(s.user_id ORDER BY s.user_id) AS user_ids
     FROM subscriptions s JOIN users u ON u.id = s.user_id
     WHERE s.channel_id = ANY($1) AND s.is_active AND u.is_active GROUP BY s.channel_id`,
    [channelIds],
  );
  return new Map(rows.map((row) => [row.channel_id, row.user_ids]));
}

/** Number of a channel's subscribers, and their user ids as text. */
export interface SubscriberCountAndIdsText {
  readonly count: number;
  /** User ids of the channel's subscribers in ascending order, separated by commas. */
  readonly ids: string;
}

/** Subscribers of channels, by channel id. Channels without subscribers are absent. */
export type SubscriberTexts = ReadonlyMap<number, SubscriberCountAndIdsText>;

/** Reads the subscribers of the given channels as text, because text is faster to read than arrays. */
export async function listSubscriberTexts(tx: SqlQueryRunner, channelIds: readonly number[]): Promise<SubscriberTexts> {
  const { rows } = await tx.query<SubscriberRow>(
    `SELECT s.channel_id, ${subscriberIdsColumnsSql} FROM subscriptions s JOIN users u ON u.id = s.user_id
     WHERE s.channel_id = ANY($1::bigint[]) AND s.is_active AND u.is_active GROUP BY s.channel_id`,
    [channelIds],
  );
  return groupSubscriberTexts(rows);
}

/** Reads the subscribers of all channels of a realm as text, including deactivated users. */
export async function readRealmSubscriberTexts(tx: SqlQueryRunner, realmId: number): Promise<SubscriberTexts> {
  const { rows } = await tx.query<SubscriberRow>(
    `SELECT s.channel_id, ${subscriberIdsColumnsSql} FROM subscriptions s JOIN channels c ON c.id = s.channel_id
     WHERE c.realm_id = $1 AND s.is_active GROUP BY s.channel_id`,
    [realmId],
  );
  return groupSubscriberTexts(rows);
}

/** Returns the ids of the deactivated users of a realm as text, in ascending order and separated by commas. */
export async function listDeactivatedUsers(tx: SqlQueryRunner, realmId: number): Promise<string> {
  const { rows } = await tx.query<{ ids: string | null }>(
    `SELECT string_agg(id::text, ',' ORDER BY id) AS ids FROM users WHERE realm_id = $1 AND NOT is_active`,
    [realmId],
  );
  return rows[0]?.ids ?? '';
}

type SubscriberRow = { channel_id: number } & SubscriberCountAndIdsText;

const subscriberIdsColumnsSql = `count(*)::int AS count, string_agg(s.user_id::text, ',' ORDER BY s.user_id) AS ids`;

function groupSubscriberTexts(rows: readonly SubscriberRow[]): SubscriberTexts {
  return new Map(rows.map(({ channel_id: id, ...subscribers }) => [id, subscribers]));
}
