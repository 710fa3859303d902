import { Inject, Injectable } from '@nestjs/common';
import type { Database, Tx } from '@switchboard/database';
import { createBadRequestError } from '../../errors.js';
import { ChatEventWriter } from '../../events/chat-events.js';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { parseOptionalText } from '../../infra/http/parse-text-parameters.js';
import type { DecodedParametersOfDefinition } from '../../infra/http/parameter-decorators.js';
import { normalizeTextForComparison } from '../../infra/normalized-text-key.js';
import { DATABASE_TOKEN } from '../../tokens.js';
import { loadActorRights, requireAdmin } from '../access/actor-rights.js';
import { lockRealmMembership } from '../database-locks.js';
import {
  emitDefaultChannelGroups,
  readDefaultChannelGroups,
  type WireDefaultChannelGroup,
} from './default-channel-group.js';
import {
  addDefaultChannelGroup,
  insertDefaultChannelGroupChannels,
  removeDefaultChannelGroup,
  deleteDefaultChannelGroupChannels,
  updateDefaultChannelGroup,
} from './default-channel-groups.repository.js';
import {
  type addDefaultChannelGroupParameters,
  type changeDefaultChannelGroupParameters,
  defaultChannelGroupLimits,
  type updateDefaultChannelGroupParameters,
} from './default-channel-groups.schemas.js';
import { lockChannels, type LockedChannel } from './lock-channels.repository.js';

// Each event and registration contains all groups with the ids of their channels.
const maxDefaultChannelGroups = 100;
const maxChannelsPerDefaultGroup = 100;

/**
 * Adds, changes and removes default channel groups, which are sets of channels for new users (docs/contract/chat.md
 * 2.E, /default_stream_groups).
 */
@Injectable()
export class DefaultChannelGroupsService {
  constructor(
    @Inject(DATABASE_TOKEN) private readonly database: Database,
    private readonly events: ChatEventWriter,
  ) {}

  /**
   * Creates a default channel group.
   *
   * @throws ApplicationError UNAUTHORIZED_PRINCIPAL, BAD_REQUEST
   */
  add(actor: ChatActor, sent: DecodedParametersOfDefinition<typeof addDefaultChannelGroupParameters>): Promise<void> {
    return this.#change(actor, sent.stream_names, async (tx, groups, channels) => {
      const name = sent.group_name;
      requireNoDefaultChannels(channels, name);
      const texts = {
        name: validateDefaultChannelGroupName(name),
        description: validateDefaultChannelGroupDescription('description', sent.description),
      };
      requireUnusedChannelGroupName(groups, name);
      if (groups.length >= maxDefaultChannelGroups)
        throw createBadRequestError(`There are ${maxDefaultChannelGroups} default channel groups already.`);
      await insertDefaultChannelGroupChannels(
        tx,
        await addDefaultChannelGroup(tx, actor.realmId, texts),
        listChannelIds(channels),
      );
    });
  }

  /**
   * Changes the name or description of a default channel group.
   *
   * @throws ApplicationError UNAUTHORIZED_PRINCIPAL, BAD_REQUEST
   */
  update(
    actor: ChatActor,
    id: number,
    sent: DecodedParametersOfDefinition<typeof updateDefaultChannelGroupParameters>,
  ): Promise<void> {
    return this.#change(actor, [], async (tx, groups) => {
      const { new_group_name: name, new_description: description } = sent;
      if (!name && !description) throw createBadRequestError('You must pass "new_description" or "new_group_name".');
      const group = getDefaultChannelGroup(groups, id);
      if (name === group.name) throw createBadRequestError(`This default channel group is already named '${name}'`);
      if (name !== undefined) requireUnusedChannelGroupName(groups, name);
      await updateDefaultChannelGroup(tx, id, {
        name: name === undefined ? group.name : validateDefaultChannelGroupName(name),
        description: validateDefaultChannelGroupDescription('new_description', description ?? group.description),
      });
    });
  }

  /**
   * Removes a default channel group.
   *
   * @throws ApplicationError UNAUTHORIZED_PRINCIPAL, BAD_REQUEST
   */
  remove(actor: ChatActor, id: number): Promise<void> {
    return this.#change(actor, [], (tx, groups) =>
      removeDefaultChannelGroup(tx, getDefaultChannelGroup(groups, id).id),
    );
  }

  /**
   * Adds channels to a default channel group, or removes channels from it.
   *
   * @throws ApplicationError UNAUTHORIZED_PRINCIPAL, BAD_REQUEST
   */
  changeGroupChannels(
    actor: ChatActor,
    id: number,
    sent: DecodedParametersOfDefinition<typeof changeDefaultChannelGroupParameters>,
  ): Promise<void> {
    return this.#change(actor, sent.stream_names, async (tx, groups, channels) => {
      const group = getDefaultChannelGroup(groups, id);
      if (sent.op === 'add') await addChannelsToDefaultGroup(tx, group, channels);
      else if (sent.op === 'remove') await removeChannelsFromDefaultGroup(tx, group, channels);
      else throw createBadRequestError('Invalid value for "op". Specify one of "add" or "remove".');
    });
  }

  /**
   * Changes the default channel groups of a realm in a transaction with the named channels locked, and emits an event
   * with the changed groups. Concurrent changes run one after another.
   */
  #change(
    actor: ChatActor,
    channelNames: readonly string[],
    run: (tx: Tx, groups: WireDefaultChannelGroup[], channels: LockedChannel[]) => Promise<void>,
  ): Promise<void> {
    return this.database.inTransaction(async (tx) => {
      await lockRealmMembership(tx, actor.realmId, 'shared');
      requireAdmin(await loadActorRights(tx, actor));
      const channels = await lockChannelsByName(tx, actor.realmId, channelNames);
      const { groups } = await readDefaultChannelGroups(tx, actor.realmId);
      await run(tx, groups, channels);
      await emitDefaultChannelGroups(tx, this.events, actor.realmId);
    });
  }
}

async function lockChannelsByName(tx: Tx, realmId: number, names: readonly string[]): Promise<LockedChannel[]> {
  if (names.length === 0) return [];
  const nameKeys = names.map((name) => normalizeTextForComparison(name.trim()));
  const channels = (await lockChannels(tx, realmId, { nameKeys }, 'settings')).filter((one) => !one.is_archived);
  const known = new Set(channels.map(({ name }) => normalizeTextForComparison(name)));
  const missing = names.find((name) => !known.has(normalizeTextForComparison(name.trim())));
  if (missing !== undefined) throw createBadRequestError(`Invalid channel name '${missing}'`);
  return channels;
}

async function addChannelsToDefaultGroup(
  tx: Tx,
  group: WireDefaultChannelGroup,
  channels: readonly LockedChannel[],
): Promise<void> {
  requireNoDefaultChannels(channels, group.name);
  const present = channels.find(({ id }) => group.streams.includes(id));
  if (present !== undefined) {
    throw createBadRequestError(
      `Channel '${present.name}' is already present in default channel group '${group.name}'`,
    );
  }
  if (group.streams.length + channels.length > maxChannelsPerDefaultGroup) {
    throw createBadRequestError(`A default channel group can have at most ${maxChannelsPerDefaultGroup} channels.`);
  }
  await insertDefaultChannelGroupChannels(tx, group.id, listChannelIds(channels));
}

async function removeChannelsFromDefaultGroup(
  tx: Tx,
  group: WireDefaultChannelGroup,
  channels: readonly LockedChannel[],
): Promise<void> {
  const absent = channels.find(({ id }) => !group.streams.includes(id));
  if (absent !== undefined) {
    throw createBadRequestError(`Channel '${absent.name}' is not present in default channel group '${group.name}'`);
  }
  await deleteDefaultChannelGroupChannels(tx, group.id, listChannelIds(channels));
}

function requireNoDefaultChannels(channels: readonly LockedChannel[], groupName: string): void {
  if (channels.some((channel) => channel.is_private))
    throw createBadRequestError('Private channels cannot be made default.');
  const ofAll = channels.find((channel) => channel.is_default);
  if (ofAll === undefined) return;
  throw createBadRequestError(`'${ofAll.name}' is a default channel and cannot be added to '${groupName}'`);
}

function requireUnusedChannelGroupName(groups: readonly WireDefaultChannelGroup[], name: string): void {
  if (groups.some((group) => group.name === name))
    throw createBadRequestError(`Default channel group '${name}' already exists`);
}

function validateDefaultChannelGroupName(sent: string): string {
  if (sent.trim() === '') throw createBadRequestError(`Invalid default channel group name '${sent}'`);
  if ([...sent].length > defaultChannelGroupLimits.name) {
    throw createBadRequestError(
      `Default channel group name too long (limit: ${defaultChannelGroupLimits.name} characters)`,
    );
  }
  return sent;
}

function validateDefaultChannelGroupDescription(parameter: string, sent: string): string {
  return parseOptionalText(parameter, sent, defaultChannelGroupLimits.description);
}

function getDefaultChannelGroup(groups: readonly WireDefaultChannelGroup[], id: number): WireDefaultChannelGroup {
  const group = groups.find((one) => one.id === id);
  if (group === undefined) throw createBadRequestError(`Default channel group with id '${id}' does not exist.`);
  return group;
}

function listChannelIds(channels: readonly LockedChannel[]): number[] {
  return channels.map(({ id }) => id);
}
