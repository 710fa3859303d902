import type { Tx } from '@switchboard/database';
import { channelPermissionSettings } from '../access/permission-settings.js';
import type { MessageRenderer } from '../../infra/markdown/index.js';
import { normalizeTextForComparison } from '../../infra/normalized-text-key.js';
import { storeGroupPermissions, type SystemGroupIdByName } from '../user-groups/index.js';
import { channelPermissionNames, type ChannelPermission, type WireChannel } from './wire-channel.js';

/** A channel to be created. Absent properties get their default values (docs/contract/chat.md 6.3). */
export interface NewChannel {
  readonly realmId: number;
  readonly name: string;
  readonly description: string;
  /** User id of the channel's creator; null for channels that the server creates. */
  readonly creatorId: number | null;
  readonly isPrivate?: boolean;
  readonly isWebPublic?: boolean;
  readonly isDefault?: boolean;
  /**
   * True if subscribers see messages that were sent before their subscription. Only private channels may have the value
   * false.
   */
  readonly historyPublicToSubscribers?: boolean;
  /** Number of days for which messages are stored; null for the realm's setting, -1 for messages that never expire. */
  readonly messageRetentionDays?: number | null;
  readonly topicsPolicy?: WireChannel['topics_policy'];
  readonly folderId?: number | null;
  /** Ids of the user groups that have permissions on the channel, by name of the permission. */
  readonly permissions?: Partial<Readonly<Record<ChannelPermission, number>>>;
}

/** Properties of the realm that the creation of channels uses. */
export interface ChannelCreationDefaults {
  readonly renderer: MessageRenderer;
  readonly systemGroups: SystemGroupIdByName;
}

/**
 * Creates channels and their recipient rows in one SQL statement. Returns the ids of the channels in the given order.
 * @throws a unique violation of the database when a channel name is taken in this realm. Callers can check the names
 * first with `lockChannelNames`.
 */
export async function addChannels(
  tx: Tx,
  channels: readonly NewChannel[],
  context: ChannelCreationDefaults,
): Promise<number[]> {
  if (channels.length === 0) return [];
  const { rows } = await tx.query<{ id: number; name_key: string }>(insertChannelsSql, [
    JSON.stringify(channels.map((channel) => toChannelColumnValues(channel, context))),
  ]);
  const ids = new Map(rows.map((row) => [row.name_key, row.id]));
  return channels.map(({ name }) => ids.get(normalizeTextForComparison(name)) ?? 0);
}

const channelPermissionColumns = channelPermissionNames.map((name) => `${name}_id`);

const insertChannelsSql = `
  WITH channel AS (
    INSERT INTO channels (realm_id, name, name_key, description, rendered_description, creator_id, is_private,
      is_web_public, is_default, history_public_to_subscribers, message_retention_days, topics_policy, folder_id,
      ${channelPermissionColumns.join(', ')})
    SELECT * FROM jsonb_to_recordset($1::jsonb) AS made(realm_id int, name text, name_key text, description text,
      rendered_description text, creator_id int, is_private boolean, is_web_public boolean, is_default boolean,
      history_public_to_subscribers boolean, message_retention_days int, topics_policy text, folder_id int,
      ${channelPermissionColumns.map((name) => `${name} int`).join(', ')})
    RETURNING id, realm_id, name_key
  ), recipient AS (
    INSERT INTO recipients (realm_id, channel_id) SELECT realm_id, id FROM channel
  )
  SELECT id, name_key FROM channel`;

function toChannelColumnValues(channel: NewChannel, { renderer, systemGroups }: ChannelCreationDefaults): object {
  const isPrivate = channel.isPrivate ?? false;
  return {
    realm_id: channel.realmId,
    name: channel.name,
    name_key: normalizeTextForComparison(channel.name),
    description: channel.description,
    rendered_description: renderer.renderPlain(channel.description),
    creator_id: channel.creatorId,
    is_private: isPrivate,
    is_web_public: channel.isWebPublic ?? false,
    is_default: channel.isDefault ?? false,
    history_public_to_subscribers: channel.historyPublicToSubscribers ?? !isPrivate,
    message_retention_days: channel.messageRetentionDays ?? null,
    topics_policy: channel.topicsPolicy ?? 'inherit',
    folder_id: channel.folderId ?? null,
    ...Object.fromEntries(
      channelPermissionNames.map((name) => [
        `${name}_id`,
        channel.permissions?.[name] ?? systemGroups.get(channelPermissionSettings[name].initial),
      ]),
    ),
  };
}

/**
 * Creates a channel. Its creator may administer the channel; if the server creates the channel, no user may. Returns
 * the id of the channel.
 */
export async function addChannel(tx: Tx, channel: NewChannel, context: ChannelCreationDefaults): Promise<number> {
  const name = 'can_administer_channel_group';
  const value = { direct_members: channel.creatorId === null ? [] : [channel.creatorId], direct_subgroups: [] };
  const setting = channelPermissionSettings[name];
  const [stored] = await storeGroupPermissions(tx, channel.realmId, [{ name, setting, value }]);
  const permissions = { ...channel.permissions, ...(stored !== undefined && { [name]: stored.groupId }) };
  const [id] = await addChannels(tx, [{ ...channel, permissions }], context);
  return id ?? 0;
}
