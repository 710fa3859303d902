import type { SqlReader } from '../../access/sql-reader.js';
import { type ChatActor, isAdmin, isGuest } from '../../access/actor.js';
import { channelReadable } from '../../access/channel-access.js';
import { channelPermissions, type ChannelPermission, type WireChannel } from './wire-channel.js';

/** How the reader stands to a channel. Null values of the settings: as the user's own settings say. */
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

/** A channel that the reader knows of. Times are UNIX seconds. */
export interface ChannelRow extends Record<`${ChannelPermission}_id`, number> {
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
  is_recently_active: boolean;
  message_retention_days: number | null;
  topics_policy: WireChannel['topics_policy'];
  subscriber_count: number;
  /** Whether the reader may see who subscribes. */
  readable: boolean;
  subscription: SubscriptionRow | null;
}

/** Whether the reader may know that a channel exists: more than may read it (chat-contract 5.3). */
const known = `(${channelReadable({ actor: '$2', isGuest: '$3' })}
  OR $4 OR c.can_administer_channel_group_id = ANY((SELECT user_group_ids($2))::int[]))`;

/** Every channel that the actor may know of, by id, with the actor's own subscription: one statement. */
export async function listChannels(tx: SqlReader, actor: ChatActor): Promise<ChannelRow[]> {
  const { rows } = await tx.query<ChannelRow>(
    `SELECT c.id, c.name, c.description, c.rendered_description,
       floor(extract(epoch FROM c.date_created))::bigint AS date_created, c.creator_id, c.is_private, c.is_web_public,
       c.is_archived, c.is_default, c.history_public_to_subscribers, c.is_recently_active, c.message_retention_days,
       c.topics_policy, ${channelPermissions.map((name) => `c.${name}_id`).join(', ')},
       (SELECT min(m.id) FROM messages m WHERE m.recipient_id = r.id) AS first_message_id,
       coalesce(counted.subscribers, 0) AS subscriber_count,
       ${channelReadable({ actor: '$2', isGuest: '$3' })} OR $4 AS readable,
       CASE WHEN own.user_id IS NOT NULL THEN to_jsonb(own) - 'user_id' - 'channel_id' END AS subscription
     FROM channels c
     JOIN recipients r ON r.channel_id = c.id
     LEFT JOIN subscriptions own ON own.channel_id = c.id AND own.user_id = $2
     LEFT JOIN subscriptions s ON s.channel_id = c.id AND s.user_id = $2 AND s.is_active
     LEFT JOIN (
       SELECT cs.channel_id, count(*) AS subscribers FROM subscriptions cs JOIN users u ON u.id = cs.user_id
       WHERE cs.is_active AND u.is_active GROUP BY cs.channel_id
     ) counted ON counted.channel_id = c.id
     WHERE c.realm_id = $1 AND ${known}
     ORDER BY c.id`,
    [actor.realmId, actor.id, isGuest(actor), isAdmin(actor)],
  );
  return rows;
}

/** The active subscribers of these channels, ascending, by channel: one statement. */
export async function listSubscribers(tx: SqlReader, channelIds: readonly number[]): Promise<Map<number, number[]>> {
  const { rows } = await tx.query<{ channel_id: number; user_ids: number[] }>(
    `SELECT s.channel_id, array_agg(s.user_id ORDER BY s.user_id) AS user_ids
     FROM subscriptions s JOIN users u ON u.id = s.user_id
     WHERE s.channel_id = ANY($1) AND s.is_active AND u.is_active GROUP BY s.channel_id`,
    [channelIds],
  );
  return new Map(rows.map((row) => [row.channel_id, row.user_ids]));
}
