import type { Tx } from '@switchboard/database';
import { type ChatActor, isGuest } from '../../infra/http/chat-actor.js';
import { isChannelReadableSql } from '../../core/access/channel-access.js';
import { createBadRequestError } from '../../errors.js';
import { normalizeTextForComparison } from '../../infra/normalized-text-key.js';

/**
 * Names of a bot's default channels. An undefined name leaves the default channel unchanged, and an empty name removes
 * it.
 */
export interface BotDefaultChannels {
  readonly default_sending_stream?: string | undefined;
  readonly default_events_register_stream?: string | undefined;
  readonly default_all_public_streams?: boolean | undefined;
}

/** Database columns of a bot that store {@link BotDefaultChannels}, with new values. */
export type BotDefaultChannelColumns = Partial<{
  default_sending_channel_id: number | null;
  default_events_register_channel_id: number | null;
  default_all_public_channels: boolean;
}>;

/**
 * Locks the channels that a request names as default channels of a bot. The actor must be able to read these channels.
 * Executes one SQL statement. The caller must have locked the realm membership exclusively, so that the permission to
 * read cannot change before the end of the transaction.
 *
 * @throws ApplicationError BAD_REQUEST `Invalid channel name '{n}'`
 */
export async function lockRequestedDefaultChannels(
  tx: Tx,
  actor: ChatActor,
  defaults: BotDefaultChannels,
): Promise<BotDefaultChannelColumns> {
  const {
    default_sending_stream: sending,
    default_events_register_stream: registering,
    default_all_public_streams: allPublic,
  } = defaults;
  const names = [sending ?? '', registering ?? ''].filter((name) => name !== '');
  const ids = await findDefaultChannels(tx, actor, names);
  const idOf = (name: string): number | null =>
    name === '' ? null : (ids.get(normalizeTextForComparison(name)) ?? null);
  return {
    ...(sending !== undefined && { default_sending_channel_id: idOf(sending) }),
    ...(registering !== undefined && { default_events_register_channel_id: idOf(registering) }),
    ...(allPublic !== undefined && { default_all_public_channels: allPublic }),
  };
}

async function findDefaultChannels(
  tx: Tx,
  actor: ChatActor,
  names: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (names.length === 0) return new Map();
  const { rows } = await tx.query<{ id: number; name_key: string }>(
    `SELECT c.id, c.name_key FROM channels c
     LEFT JOIN subscriptions s ON s.channel_id = c.id AND s.user_id = $2 AND s.is_active
     WHERE c.realm_id = $1 AND c.name_key = ANY($3) AND NOT c.is_archived
       AND ${isChannelReadableSql({ actor: '$2', isGuest: '$4' })} ORDER BY c.id FOR SHARE OF c`,
    [actor.realmId, actor.id, names.map((name) => normalizeTextForComparison(name)), isGuest(actor)],
  );
  const ids = new Map(rows.map((row) => [row.name_key, row.id]));
  const missing = names.find((name) => !ids.has(normalizeTextForComparison(name)));
  if (missing !== undefined) throw createBadRequestError(`Invalid channel name '${missing}'`);
  return ids;
}

/** Stores the default channels of a bot that {@link lockRequestedDefaultChannels} has returned. */
export async function writeDefaultChannelsOfBot(
  tx: Tx,
  botId: number,
  columns: BotDefaultChannelColumns,
): Promise<void> {
  const entries = Object.entries(columns);
  if (entries.length === 0) return;
  const assignments = entries.map(([column], index) => `${column} = $${index + 2}`);
  await tx.query(`UPDATE users SET ${assignments.join(', ')} WHERE id = $1`, [
    botId,
    ...entries.map(([, value]) => value),
  ]);
}
