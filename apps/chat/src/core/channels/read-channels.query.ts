import { Inject, Injectable } from '@nestjs/common';
import type { Database } from '@switchboard/database';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { createBadRequestError } from '../../errors.js';
import type { DecodedParametersOfDefinition } from '../../infra/http/parameter-decorators.js';
import { normalizeTextForComparison } from '../../infra/normalized-text-key.js';
import { JsonBytes } from '../../infra/http/json-byte-chunks.js';
import { SnapshotDataCache } from '../../events/snapshot-memory/index.js';
import { DATABASE_TOKEN } from '../../tokens.js';
import {
  type ChannelVisibilityFields,
  createRealmChannelsDataSource,
  createChannelTextsDataSource,
  appendFieldsToJsonObject,
} from './channel-list-cache.js';
import {
  type VisibleChannelRow,
  type ActorChannelAccess,
  listChannels,
  listChannelAccess,
  listFrequentlyChangedChannelFields,
  listSubscribers,
} from './channels.repository.js';
import type { listChannelsParameters } from './channels.schemas.js';
import { readChannelPermissionGroups } from './read-wire-channels.js';
import { toWireChannel } from './convert-to-wire-channel.js';
import type { WireChannel } from './wire-channel.js';

type ListChannelsParameters = DecodedParametersOfDefinition<typeof listChannelsParameters>;

/** Reads channels that the user who sends the request can see (docs/contract/chat.md 2.E). */
@Injectable()
export class ReadChannels {
  constructor(
    @Inject(DATABASE_TOKEN) private readonly database: Database,
    private readonly parts: SnapshotDataCache,
  ) {}

  /** Lists the requested channels in the order of their names. */
  async list(actor: ChatActor, parameters: ListChannelsParameters) {
    const lists = await this.parts.getCurrentValue(createRealmChannelsDataSource(actor.realmId));
    // Read after the lists, so that channels that the actor can no longer see are omitted.
    const sights = await listChannelAccess(this.database, actor);
    const live = await listFrequentlyChangedChannelFields(this.database, actor.realmId);
    const { rows } = await this.parts.getDerivedValue(createChannelTextsDataSource(actor.realmId, lists, live));
    const known = sights.flatMap((sight) => {
      const facts = lists.facts.get(sight.id);
      return facts === undefined ? [] : [{ ...facts, ...sight }];
    });
    const requested = known.filter((row) => isChannelRequested(row, parameters)).toSorted(compareChannelsByName);
    const written = requested.map(({ id, is_default }) =>
      appendFieldsToJsonObject(rows.getRowText(id) ?? '{}', parameters.include_default ? { is_default } : {}),
    );
    return { streams: JsonBytes.fromJsonText(`[${written.join(',')}]`) };
  }

  /**
   * Returns a channel by id.
   *
   * @throws ApplicationError BAD_REQUEST when the channel does not exist or the actor cannot see it
   */
  async get(actor: ChatActor, channelId: number): Promise<{ stream: WireChannel }> {
    const row = await getVisibleChannelOrThrow(this.database, actor, channelId);
    const context = await readChannelPermissionGroups(this.database, actor.realmId, [row]);
    return { stream: toWireChannel(row, context) };
  }

  /**
   * Returns the id of the channel with the given name.
   *
   * @throws ApplicationError BAD_REQUEST when no channel that the actor can see has the name
   */
  async getChannelIdByName(actor: ChatActor, name: string): Promise<{ stream_id: number }> {
    const { rows } = await this.database.query<{ id: number }>(
      'SELECT id FROM channels WHERE realm_id = $1 AND name_key = $2',
      [actor.realmId, normalizeTextForComparison(name.trim())],
    );
    const [row] = await listChannels(this.database, actor, { channelIds: rows.map(({ id }) => id) });
    if (row === undefined) throw createBadRequestError(`Invalid channel name '${name}'`);
    return { stream_id: row.id };
  }

  /**
   * Lists the user ids of a channel's subscribers, in ascending order.
   *
   * @throws ApplicationError BAD_REQUEST
   */
  async listSubscribers(actor: ChatActor, channelId: number): Promise<{ subscribers: number[] }> {
    await getVisibleChannelOrThrow(this.database, actor, channelId);
    const byChannel = await listSubscribers(this.database, [channelId]);
    return { subscribers: byChannel.get(channelId) ?? [] };
  }
}

/**
 * Returns a channel that the actor can see.
 *
 * @throws ApplicationError BAD_REQUEST for any other channel
 */
async function getVisibleChannelOrThrow(
  database: Database,
  actor: ChatActor,
  channelId: number,
): Promise<VisibleChannelRow> {
  const [row] = await listChannels(database, actor, { channelIds: [channelId] });
  if (row === undefined) throw createBadRequestError('Invalid channel ID');
  return row;
}

type RequestedChannel = ChannelVisibilityFields & ActorChannelAccess;

function isChannelRequested(row: RequestedChannel, parameters: ListChannelsParameters): boolean {
  if (row.is_archived && parameters.exclude_archived) return false;
  return (
    parameters.include_all ||
    (parameters.include_public && !row.is_private && row.content_readable) ||
    (parameters.include_web_public && row.is_web_public) ||
    (parameters.include_subscribed && row.subscription?.is_active === true) ||
    (parameters.include_default && row.is_default) ||
    (parameters.include_owner_subscribed && row.owner_subscribed) ||
    (parameters.include_can_access_content && row.content_readable)
  );
}

function compareChannelsByName(a: RequestedChannel, b: RequestedChannel): number {
  return a.nameKey < b.nameKey ? -1 : Number(a.nameKey > b.nameKey);
}
