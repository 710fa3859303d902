import { z } from 'zod';
import type { Tx } from '@switchboard/database';
import type { ChatEventWriter } from '../../events/chat-events.js';
import { defineEventType } from '../../events/define-event-type.js';
import { lockDefaultChannels } from '../database-locks.js';

/** Schema of a default channel group: a named set of channels for new users (docs/contract/chat.md 2.A). */
const wireDefaultChannelGroupSchema = z
  .strictObject({
    id: z.int(),
    name: z.string(),
    description: z.string(),
    streams: z.array(z.int()).meta({ description: 'Ids of the channels' }),
  })
  .meta({ id: 'DefaultChannelGroup' });

export type WireDefaultChannelGroup = z.infer<typeof wireDefaultChannelGroupSchema>;

/** Schema of the list of all default channel groups of a realm, ordered by name. */
export const defaultChannelGroupListSchema = z.array(wireDefaultChannelGroupSchema);

/**
 * Event with the complete list of default channel groups, sent after a change of that list (docs/contract/chat.md 3.4).
 */
export const defaultChannelGroupsEvent = defineEventType({
  name: 'default_stream_groups',
  webhookOrder: 'type',
  audience: 'All users except guests.',
  payload: z.strictObject({ groups: defaultChannelGroupListSchema }),
}).addVariant({
  type: 'default_stream_groups',
  fields: { default_stream_groups: defaultChannelGroupListSchema },
  render: ({ groups }) => ({ default_stream_groups: groups }),
});

/**
 * SQL expression with the default channel groups of the realm `$1` in the JSON form of the API; null for a realm
 * without groups.
 */
export const defaultChannelGroupsSql = `(SELECT json_agg(json_build_object(
    'id', g.id, 'name', g.name, 'description', g.description,
    'streams', ARRAY(SELECT channel_id FROM default_channel_group_channels WHERE group_id = g.id ORDER BY channel_id)
  ) ORDER BY g.name COLLATE "C") FROM default_channel_groups g WHERE g.realm_id = $1)`;

/** Default channel groups of a realm, and the users who receive the event about these groups. */
interface DefaultChannelGroupsWithAudience {
  readonly groups: WireDefaultChannelGroup[];
  /** User ids of all users of the realm except guests. */
  readonly members: number[];
}

/**
 * Reads the default channel groups of a realm. Takes a lock that lets only one transaction at a time change the groups
 * and emit events about them.
 */
export async function readDefaultChannelGroups(tx: Tx, realmId: number): Promise<DefaultChannelGroupsWithAudience> {
  await lockDefaultChannels(tx, realmId);
  const { rows } = await tx.query<{ groups: WireDefaultChannelGroup[] | null; members: number[] }>(
    `SELECT ${defaultChannelGroupsSql} AS groups,
       ARRAY(SELECT id FROM users WHERE realm_id = $1 AND is_active AND role < 600) AS members`,
    [realmId],
  );
  return { groups: rows[0]?.groups ?? [], members: rows[0]?.members ?? [] };
}

/** Emits the current list of default channel groups to all users except guests. */
export async function emitDefaultChannelGroups(tx: Tx, events: ChatEventWriter, realmId: number): Promise<void> {
  const { groups, members } = await readDefaultChannelGroups(tx, realmId);
  events.write(tx, realmId, defaultChannelGroupsEvent, { audience: { users: members }, payload: { groups } });
}

/**
 * Removes a channel that was archived or became private from all default channel groups, and emits an event with the
 * changed groups.
 */
export async function removeChannelFromDefaultGroups(
  tx: Tx,
  events: ChatEventWriter,
  realmId: number,
  channelId: number,
): Promise<void> {
  // This lock must precede the row locks, as in changes of the groups.
  await lockDefaultChannels(tx, realmId);
  const { rowCount } = await tx.query('DELETE FROM default_channel_group_channels WHERE channel_id = $1', [channelId]);
  if (rowCount > 0) await emitDefaultChannelGroups(tx, events, realmId);
}
