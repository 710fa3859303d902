import type { Tx } from '@switchboard/database';
import type { MessageRenderer } from '../../markdown/index.js';
import { textKey } from '../../text-key.js';
import type { SystemGroupName, SystemGroups } from '../user-groups/index.js';
import { channelPermissions, type ChannelPermission } from './wire-channel.js';

/** A channel about to be made. */
export interface NewChannel {
  readonly realmId: number;
  readonly name: string;
  readonly description: string;
  /** Null for channels that the server makes; then nobody in particular administers it. */
  readonly creatorId: number | null;
  readonly isPrivate?: boolean;
  readonly isWebPublic?: boolean;
  readonly isDefault?: boolean;
}

/** Permissions of a new channel; that to administer it is its creator's alone (chat-contract 6.3). */
const initialPermissions: Readonly<
  Record<Exclude<ChannelPermission, 'can_administer_channel_group'>, SystemGroupName>
> = {
  can_add_subscribers_group: 'role:nobody',
  can_remove_subscribers_group: 'role:administrators',
  can_delete_any_message_group: 'role:nobody',
  can_delete_own_message_group: 'role:nobody',
  can_move_messages_out_of_channel_group: 'role:nobody',
  can_move_messages_within_channel_group: 'role:nobody',
  can_send_message_group: 'role:everyone',
  can_subscribe_group: 'role:nobody',
  can_resolve_topics_group: 'role:nobody',
  can_create_topic_group: 'role:everyone',
};

/**
 * Makes a channel with its recipient and the nameless group of its administrators. Returns the new id.
 *
 * @throws a unique violation of the database when the name is taken in this realm.
 */
export async function addChannel(
  tx: Tx,
  channel: NewChannel,
  context: { readonly renderer: MessageRenderer; readonly systemGroups: SystemGroups },
): Promise<number> {
  const administrators = await addAnonymousGroup(tx, channel.realmId, channel.creatorId);
  const groupIds = channelPermissions.map((permission) =>
    permission === 'can_administer_channel_group'
      ? administrators
      : context.systemGroups.get(initialPermissions[permission]),
  );
  const { rows } = await tx.query<{ channel_id: number }>(
    `WITH channel AS (
       INSERT INTO channels (realm_id, name, name_key, description, rendered_description, creator_id, is_private,
         is_web_public, is_default, history_public_to_subscribers, ${channelPermissions.map((name) => `${name}_id`).join(', ')})
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, NOT $7, ${channelPermissions.map((_, index) => `$${index + 10}`).join(', ')})
       RETURNING id, realm_id)
     INSERT INTO recipients (realm_id, channel_id) SELECT realm_id, id FROM channel RETURNING channel_id`,
    [
      channel.realmId,
      channel.name,
      textKey(channel.name),
      channel.description,
      context.renderer.renderPlain(channel.description),
      channel.creatorId,
      channel.isPrivate ?? false,
      channel.isWebPublic ?? false,
      channel.isDefault ?? false,
      ...groupIds,
    ],
  );
  return rows[0]?.channel_id ?? 0;
}

/** The nameless group of one member, or of none. */
async function addAnonymousGroup(tx: Tx, realmId: number, memberId: number | null): Promise<number> {
  const { rows } = await tx.query<{ id: number }>(
    `WITH made AS (INSERT INTO user_groups (realm_id, kind) VALUES ($1, 'anonymous') RETURNING id),
     member AS (INSERT INTO user_group_members (group_id, user_id)
       SELECT id, $2::int FROM made WHERE $2::int IS NOT NULL)
     SELECT id FROM made`,
    [realmId, memberId],
  );
  return rows[0]?.id ?? 0;
}

/** Colours that new subscriptions take in turn. */
const colors = ['#76ce90', '#fae589', '#a6c7e5', '#e79ab5', '#bfd56f', '#f4ae55', '#b0a5fd', '#addfe5'];

/** Subscribes people to a channel; who is subscribed already stays as they are. */
export async function addSubscriptions(tx: Tx, channelId: number, userIds: readonly number[]): Promise<void> {
  await tx.query(
    `INSERT INTO subscriptions (user_id, channel_id, color) SELECT unnest($2::int[]), $1, $3
     ON CONFLICT (user_id, channel_id) DO UPDATE SET is_active = true`,
    [channelId, userIds, colors[channelId % colors.length]],
  );
}
