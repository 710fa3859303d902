import type { Database, Tx } from '@switchboard/database';
import type { Clock } from '@switchboard/platform';
import type { ChatEventWriter } from '../../events/chat-events.js';
import { createChannelEventClientFilter } from './event-client-filter-schema.js';
import { listChannelAudiences } from './channel-audience.repository.js';
import { lockChannels, type LockedChannel } from './lock-channels.repository.js';
import { channelUpdateEvent } from './channel.events.js';
import { lockRealmMembership } from '../database-locks.js';

/** Objects and values that {@link updateChannelTraffic} receives from its caller. */
export interface ChannelTrafficMeasurementDependencies {
  readonly database: Database;
  readonly events: ChatEventWriter;
  readonly clock: Clock;
}

/**
 * New weekly traffic and recent activity of a channel. At least one of the two values differs from the stored value.
 */
interface ChangedChannelTraffic {
  readonly id: number;
  readonly realmId: number;
  readonly weeklyTraffic: number | null;
  readonly isRecentlyActive: boolean;
  readonly trafficChanged: boolean;
  readonly activityChanged: boolean;
}

/**
 * Number of channels that one transaction of the traffic measurement locks. Senders of messages to these channels wait
 * for the transaction.
 */
const measuredChannelsBatchSize = 50;

/**
 * Updates the weekly traffic and activity of all channels, and emits events about the changed values
 * (docs/contract/chat.md 2.A). Uses one transaction per batch of channels.
 */
export async function updateChannelTraffic({
  database,
  events,
  clock,
}: ChannelTrafficMeasurementDependencies): Promise<void> {
  const { rows } = await database.query<ChangedChannelTraffic>(channelTrafficSql, [new Date(clock.now())]);
  for (const realmId of new Set(rows.map((row) => row.realmId))) {
    const changed = rows.filter((row) => row.realmId === realmId);
    for (let start = 0; start < changed.length; start += measuredChannelsBatchSize) {
      const batch = changed.slice(start, start + measuredChannelsBatchSize);
      await database.inTransaction((tx) => writeChannelTraffic(tx, events, realmId, batch));
    }
  }
}

async function writeChannelTraffic(
  tx: Tx,
  events: ChatEventWriter,
  realmId: number,
  measured: readonly ChangedChannelTraffic[],
): Promise<void> {
  await lockRealmMembership(tx, realmId, 'shared');
  const ids = measured.map(({ id }) => id);
  const channels = await lockChannels(tx, realmId, { ids }, 'settings');
  const audiences = await listChannelAudiences(tx, realmId, ids);
  await tx.query(
    `UPDATE channels c SET weekly_traffic = measured.weekly_traffic, is_recently_active = measured.is_recently_active
     FROM unnest($1::int[], $2::int[], $3::boolean[]) AS measured(id, weekly_traffic, is_recently_active)
     WHERE c.id = measured.id`,
    [ids, measured.map((one) => one.weeklyTraffic), measured.map((one) => one.isRecentlyActive)],
  );
  const byId = new Map(measured.map((one) => [one.id, one]));
  for (const channel of channels) {
    const users = audiences.get(channel.id)?.viewers ?? [];
    for (const change of findTrafficChanges(channel, byId.get(channel.id))) {
      events.write(tx, realmId, channelUpdateEvent, {
        audience: { users },
        payload: { change, clients: createChannelEventClientFilter(channel) },
      });
    }
  }
}

function findTrafficChanges({ id, name }: LockedChannel, measured: ChangedChannelTraffic | undefined) {
  const common = { stream_id: id, name };
  return [
    ...(measured?.trafficChanged === true
      ? [{ ...common, property: 'stream_weekly_traffic' as const, value: measured.weeklyTraffic }]
      : []),
    ...(measured?.activityChanged === true
      ? [{ ...common, property: 'is_recently_active' as const, value: measured.isRecentlyActive }]
      : []),
  ];
}

/**
 * SQL that selects channels whose measured traffic or activity differs from the stored values. Weekly traffic is the
 * average number of messages over 28 days, or over the age of a younger channel. The traffic is null in the channel's
 * first week. A channel is active if it is younger than 180 days or has a message from that time. The SQL counts
 * messages by realm, because the index on message times begins with the realm. The newest message is selected by a
 * range of times and not by an equation. With an equation, the planner would read all messages by id instead of using
 * the index of the conversation.
 */
const channelTrafficSql = `
  WITH said AS (
    SELECT m.recipient_id, count(*) AS messages FROM realms JOIN messages m ON m.realm_id = realms.id
    WHERE m.date_sent > $1::timestamptz - interval '28 days' GROUP BY m.recipient_id
  ), measured AS (
    SELECT c.id, c.realm_id, c.weekly_traffic, c.is_recently_active,
      CASE WHEN age.days >= 7 THEN round(coalesce(said.messages, 0) * 7 / least(age.days, 28))::int END AS traffic,
      age.days < 180 OR coalesce((
        SELECT m.date_sent FROM messages m WHERE m.recipient_id BETWEEN r.id AND r.id
        ORDER BY m.recipient_id DESC, m.id DESC LIMIT 1
      ) > $1::timestamptz - interval '180 days', false) AS active
    FROM channels c JOIN recipients r ON r.channel_id = c.id LEFT JOIN said ON said.recipient_id = r.id
    CROSS JOIN LATERAL (SELECT extract(epoch FROM $1::timestamptz - c.date_created) / 86400.0 AS days) age
  )
  SELECT id, realm_id AS "realmId", traffic AS "weeklyTraffic", active AS "isRecentlyActive",
    traffic IS DISTINCT FROM weekly_traffic AS "trafficChanged", active <> is_recently_active AS "activityChanged"
  FROM measured WHERE traffic IS DISTINCT FROM weekly_traffic OR active <> is_recently_active ORDER BY id`;
