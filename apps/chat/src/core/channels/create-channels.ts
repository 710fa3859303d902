import type { Tx } from '@switchboard/database';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { type ActorRights, requireAdmin } from '../access/actor-rights.js';
import { channelPermissionSettings } from '../access/permission-settings.js';
import { createBadRequestError } from '../../errors.js';
import type { MessageRenderer } from '../../infra/markdown/index.js';
import { readSystemGroupIds, storeGroupPermissions } from '../user-groups/index.js';
import { addChannels, type NewChannel } from './add-channel.js';
import { lockFolderForChannelAssignment } from './channel-names.repository.js';
import {
  checkChannelPermissionChanges,
  checkChannelPrivacy,
  checkChannelRetention,
  checkTopicsPolicy,
} from './channel-rules.js';
import type { NewChannelParameters } from './new-channel.schemas.js';
import { channelPermissionNames, type ChannelPermission } from './wire-channel.js';

/** Name and description of a channel to be created. */
export interface NewChannelNameAndDescription {
  readonly name: string;
  readonly description: string;
}

/** Creator of new channels, and the properties that all new channels have in common. */
export interface ChannelCreationContext {
  readonly actor: ChatActor;
  readonly rights: ActorRights;
  readonly parameters: NewChannelParameters;
  readonly renderer: MessageRenderer;
}

/**
 * Creates channels that differ only in name and description. Executes at most eight SQL statements for any number of
 * channels. The caller must have locked the channel names (`lockChannelNames`), and must emit the events about the new
 * channels. Returns the channel ids in the given order.
 *
 * @throws ApplicationError BAD_REQUEST, UNAUTHORIZED_PRINCIPAL, SYSTEM_GROUP_REQUIRED
 */
export async function createChannels(
  tx: Tx,
  named: readonly NewChannelNameAndDescription[],
  creation: ChannelCreationContext,
): Promise<number[]> {
  const { actor, rights, parameters, renderer } = creation;
  const settings = checkNewChannelSettings(rights, parameters);
  if (parameters.folder_id !== undefined) await lockFolderForChannelAssignment(tx, actor.realmId, parameters.folder_id);
  const permissions = await storeChannelPermissions(tx, named.length, creation);
  const channels = named.map((one, index): NewChannel => ({
    ...one,
    ...settings,
    realmId: actor.realmId,
    creatorId: actor.id,
    folderId: parameters.folder_id ?? null,
    permissions: permissions[index] ?? {},
  }));
  return addChannels(tx, channels, { renderer, systemGroups: await readSystemGroupIds(tx, actor.realmId) });
}

function checkNewChannelSettings(rights: ActorRights, parameters: NewChannelParameters) {
  const { invite_only: isPrivate, is_web_public: isWebPublic, is_default_stream: isDefault } = parameters;
  const historyPublicToSubscribers = parameters.history_public_to_subscribers ?? !isPrivate;
  if (isPrivate && isDefault) throw createBadRequestError('Private channels cannot be made default.');
  checkChannelPrivacy(rights, { isPrivate, isWebPublic, historyPublicToSubscribers });
  if (isDefault) requireAdmin(rights);
  checkTopicsPolicy(rights, parameters.topics_policy);
  return {
    isPrivate,
    isWebPublic,
    isDefault,
    historyPublicToSubscribers,
    messageRetentionDays: checkChannelRetention(rights, parameters.message_retention_days),
    topicsPolicy: parameters.topics_policy ?? 'inherit',
  };
}

/**
 * Stores the user groups that have permissions on each new channel. By default, the creator of a channel may administer
 * the channel.
 */
async function storeChannelPermissions(
  tx: Tx,
  count: number,
  { actor, rights, parameters }: ChannelCreationContext,
): Promise<Partial<Record<ChannelPermission, number>>[]> {
  const creator = { direct_members: [actor.id], direct_subgroups: [] };
  const given = { ...parameters, can_administer_channel_group: parameters.can_administer_channel_group ?? creator };
  const requested = channelPermissionNames.flatMap((name) => {
    const value = given[name];
    return value === undefined ? [] : [{ name, setting: channelPermissionSettings[name], value }];
  });
  checkChannelPermissionChanges(
    rights,
    channelPermissionNames.filter((name) => parameters[name] !== undefined),
  );
  const stored = await storeGroupPermissions(tx, actor.realmId, Array.from({ length: count }, () => requested).flat());
  return Array.from({ length: count }, (_, index) => {
    const own = stored.slice(index * requested.length, (index + 1) * requested.length);
    return Object.fromEntries(own.map(({ name, groupId }) => [name, groupId]));
  });
}
