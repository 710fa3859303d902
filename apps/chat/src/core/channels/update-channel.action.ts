import { Inject, Injectable } from '@nestjs/common';
import type { Database, Tx } from '@switchboard/database';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { type ActorRights, loadActorRights, requireAdmin } from '../access/actor-rights.js';
import { channelPermissionSettings } from '../access/permission-settings.js';
import { createBadRequestError } from '../../errors.js';
import { ChatEventWriter } from '../../events/chat-events.js';
import type { DecodedParametersOfDefinition } from '../../infra/http/parameter-decorators.js';
import type { MessageRenderer } from '../../infra/markdown/index.js';
import { normalizeTextForComparison } from '../../infra/normalized-text-key.js';
import { DATABASE_TOKEN, MESSAGE_RENDERER_TOKEN } from '../../tokens.js';
import {
  type ChangedGroupPermission,
  storeGroupPermissionChanges,
  removeReplacedAnonymousGroups,
} from '../user-groups/index.js';
import { listChannelAudiences } from './channel-audience.repository.js';
import { type ChannelChangeWithAudiences, emitChannelChanges } from './emit-channel-changes.js';
import { parseChannelDescription, parseChannelName } from './channel-name-schema.js';
import { listUnusedChannelNames, lockFolderForChannelAssignment } from './channel-names.repository.js';
import { ChannelNotificationMessagePoster } from './channel-notification-messages.js';
import type { ChannelRights } from './channel-rights.js';
import {
  checkChannelPermissionChanges,
  checkChannelPrivacy,
  checkChannelRetention,
  checkTopicsPolicy,
} from './channel-rules.js';
import type { updateChannelParameters } from './channels.schemas.js';
import { lockChannelForActorChange } from './get-managed-channel.js';
import type { LockedChannel } from './lock-channels.repository.js';
import { type NewChannelColumnValues, updateChannelColumns } from './update-channel-columns.repository.js';
import { channelPermissionNames } from './wire-channel.js';
import { lockChannelNames, lockRealmMembership, lockChannelRenames } from '../database-locks.js';

type UpdateChannelParameters = DecodedParametersOfDefinition<typeof updateChannelParameters>;

interface RequestedChannelChange {
  readonly tx: Tx;
  readonly actor: ChatActor;
  readonly rights: ActorRights;
  readonly channel: LockedChannel;
  readonly may: ChannelRights;
  readonly parameters: UpdateChannelParameters;
}

/** Changes properties and permissions of a channel (docs/contract/chat.md 2.E, PATCH /streams/{stream_id}). */
@Injectable()
export class UpdateChannel {
  constructor(
    @Inject(DATABASE_TOKEN) private readonly database: Database,
    @Inject(MESSAGE_RENDERER_TOKEN) private readonly renderer: MessageRenderer,
    private readonly events: ChatEventWriter,
    private readonly notices: ChannelNotificationMessagePoster,
  ) {}

  /**
   * Changes the channel properties that the request parameters contain.
   *
   * @throws ApplicationError BAD_REQUEST, CANNOT_ADMINISTER_CHANNEL, UNAUTHORIZED_PRINCIPAL, EXPECTATION_MISMATCH,
   * SYSTEM_GROUP_REQUIRED
   */
  async run(actor: ChatActor, channelId: number, parameters: UpdateChannelParameters): Promise<void> {
    const clientId = await this.notices.createInternalClientRow();
    await this.database.inTransaction(async (tx) => {
      await lockRealmMembership(tx, actor.realmId, 'shared');
      if (parameters.new_name !== undefined) await lockChannelNames(tx, actor.realmId);
      const rights = await loadActorRights(tx, actor);
      const { channel, may } = await lockChannelForActorChange(tx, actor, rights, channelId);
      const change: RequestedChannelChange = { tx, actor, rights, channel, may, parameters };
      const settings = await storeChangedChannelPermissions(change);
      const columns = {
        ...(await this.#prepareTexts(change)),
        ...listChangedChannelPrivacyColumns(change),
        ...(await listOtherChangedChannelColumns(change)),
        ...Object.fromEntries(settings.map(({ name, groupId }) => [`${name}_id`, groupId])),
      };
      if (Object.keys(columns).length === 0) return;
      const before = await listChannelAudiences(tx, actor.realmId, [channelId]);
      if (parameters.new_name !== undefined) await lockChannelRenames(tx, actor.realmId, 'exclusive');
      await updateChannelColumns(tx, channelId, columns);
      await removeReplacedAnonymousGroups(tx, settings);
      const made: ChannelChangeWithAudiences = {
        channel,
        columns,
        settings,
        before: before.get(channelId)?.viewers ?? [],
      };
      await emitChannelChanges(tx, this.events, made);
      await this.notices.postChannelChanges(tx, actor, made, clientId);
    });
  }

  async #prepareTexts({ tx, actor, channel, parameters }: RequestedChannelChange): Promise<NewChannelColumnValues> {
    const columns: NewChannelColumnValues = {};
    if (parameters.new_name !== undefined) {
      const name = parseChannelName(parameters.new_name);
      if (name === channel.name) throw createBadRequestError('Channel already has that name.');
      const isOtherName = normalizeTextForComparison(name) !== normalizeTextForComparison(channel.name);
      if (isOtherName && (await listUnusedChannelNames(tx, actor.realmId, [name])).length === 0) {
        throw createBadRequestError(`Channel name '${name}' is already taken.`);
      }
      Object.assign(columns, { name, name_key: normalizeTextForComparison(name) });
    }
    if (parameters.description !== undefined) {
      const description = parseChannelDescription(parameters.description);
      if (description !== channel.description) {
        Object.assign(columns, { description, rendered_description: this.renderer.renderPlain(description) });
      }
    }
    return columns;
  }
}

/**
 * Returns the changed columns of a channel's privacy and history settings. Rejects the request if the user cannot read
 * the channel.
 */
function listChangedChannelPrivacyColumns({
  rights,
  channel,
  may,
  parameters,
}: RequestedChannelChange): NewChannelColumnValues {
  const isWebPublic = parameters.is_web_public ?? (parameters.is_private === true ? false : channel.is_web_public);
  const isPrivate = parameters.is_private ?? (parameters.is_web_public === true ? false : channel.is_private);
  const becomes = isPrivate === channel.is_private ? channel.history_public_to_subscribers : !isPrivate;
  const historyPublicToSubscribers = parameters.history_public_to_subscribers ?? becomes;
  const columns = selectChangedChannelColumns(channel, {
    is_private: isPrivate,
    is_web_public: isWebPublic,
    history_public_to_subscribers: historyPublicToSubscribers,
  });
  if (Object.keys(columns).length === 0) return {};
  if (!may.canReadMessages) throw createBadRequestError('Only those who can read a channel may change who reads it.');
  checkChannelPrivacy(rights, { isPrivate, isWebPublic, historyPublicToSubscribers });
  if (isPrivate && (parameters.is_default_stream ?? channel.is_default)) {
    throw createBadRequestError('Private channels cannot be made default.');
  }
  return columns;
}

async function listOtherChangedChannelColumns({
  tx,
  actor,
  rights,
  channel,
  parameters,
}: RequestedChannelChange): Promise<NewChannelColumnValues> {
  const { folder_id: folderId, is_default_stream: isDefault, topics_policy: topicsPolicy } = parameters;
  if (folderId !== undefined && folderId !== null) await lockFolderForChannelAssignment(tx, actor.realmId, folderId);
  checkTopicsPolicy(rights, topicsPolicy);
  if (isDefault !== undefined) requireAdmin(rights);
  if (isDefault === true && channel.is_private && parameters.is_private !== false) {
    throw createBadRequestError('Private channels cannot be made default.');
  }
  const retention = parameters.message_retention_days;
  return selectChangedChannelColumns(channel, {
    ...(folderId !== undefined && { folder_id: folderId }),
    ...(topicsPolicy !== undefined && { topics_policy: topicsPolicy }),
    ...(isDefault !== undefined && { is_default: isDefault }),
    ...(retention !== undefined && { message_retention_days: checkChannelRetention(rights, retention) }),
    ...(parameters.is_archived === false && { is_archived: false }),
  });
}

/** Returns those of the requested column values that differ from the stored values of the channel. */
function selectChangedChannelColumns(channel: LockedChannel, values: NewChannelColumnValues): NewChannelColumnValues {
  const now: Readonly<Record<string, unknown>> = { ...channel };
  return Object.fromEntries(Object.entries(values).filter(([name, value]) => now[name] !== value));
}

async function storeChangedChannelPermissions(change: RequestedChannelChange): Promise<ChangedGroupPermission[]> {
  const { tx, actor, rights, channel, may, parameters } = change;
  const changes = channelPermissionNames.flatMap((name) => {
    const requested = parameters[name];
    const setting = channelPermissionSettings[name];
    return requested === undefined ? [] : [{ name, setting, groupId: channel[`${name}_id`], change: requested }];
  });
  checkChannelPermissionChanges(
    rights,
    changes.map(({ name }) => name),
  );
  const isAboutAccess = changes.some(
    ({ name }) => name === 'can_add_subscribers_group' || name === 'can_subscribe_group',
  );
  if (isAboutAccess && !may.canReadMessages)
    throw createBadRequestError('Only those who can read a channel may change who reads it.');
  return storeGroupPermissionChanges(tx, actor.realmId, changes);
}
