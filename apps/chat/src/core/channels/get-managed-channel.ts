import type { Tx } from '@switchboard/database';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import type { ActorRights } from '../access/actor-rights.js';
import { createBadRequestError } from '../../errors.js';
import { ChannelRights } from './channel-rights.js';
import { lockChannels, type LockedChannel } from './lock-channels.repository.js';

/** A channel that the transaction has locked for a change, and the acting user's rights on the channel. */
export interface LockedChannelWithActorRights {
  readonly channel: LockedChannel;
  readonly may: ChannelRights;
}

/**
 * Locks a channel that the actor is about to change.
 * @throws ApplicationError BAD_REQUEST if the channel is invisible to the actor, CANNOT_ADMINISTER_CHANNEL if the actor
 *   may not change the channel
 */
export async function lockChannelForActorChange(
  tx: Tx,
  actor: ChatActor,
  rights: ActorRights,
  channelId: number,
): Promise<LockedChannelWithActorRights> {
  const [channel] = await lockChannels(tx, actor.realmId, { ids: [channelId] }, 'settings');
  if (channel === undefined) throw createBadRequestError('Invalid channel ID');
  const { rowCount } = await tx.query(
    'SELECT 1 FROM subscriptions WHERE user_id = $1 AND channel_id = $2 AND is_active',
    [actor.id, channelId],
  );
  const may = new ChannelRights(channel, rights, rowCount > 0);
  if (!may.canSeeChannel) throw createBadRequestError('Invalid channel ID');
  may.requireChannelAdministrator();
  return { channel, may };
}
