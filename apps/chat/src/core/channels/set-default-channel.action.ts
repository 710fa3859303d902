import { Inject, Injectable } from '@nestjs/common';
import type { Database } from '@switchboard/database';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { loadActorRights, requireAdmin } from '../access/actor-rights.js';
import { createBadRequestError } from '../../errors.js';
import { ChatEventWriter } from '../../events/chat-events.js';
import { DATABASE_TOKEN } from '../../tokens.js';
import { emitDefaultChannels } from './emit-channel-changes.js';
import { lockChannels } from './lock-channels.repository.js';
import { updateChannelColumns } from './update-channel-columns.repository.js';
import { lockRealmMembership } from '../database-locks.js';

/**
 * Adds and removes default channels, to which new users are subscribed (docs/contract/chat.md 2.E, /default_streams). A
 * request that changes nothing succeeds.
 */
@Injectable()
export class AddOrRemoveDefaultChannel {
  constructor(
    @Inject(DATABASE_TOKEN) private readonly database: Database,
    private readonly events: ChatEventWriter,
  ) {}

  /**
   * Adds a channel to the default channels, or removes the channel from them.
   *
   * @throws ApplicationError UNAUTHORIZED_PRINCIPAL, BAD_REQUEST
   */
  run(actor: ChatActor, channelId: number, isDefault: boolean): Promise<void> {
    return this.database.inTransaction(async (tx) => {
      await lockRealmMembership(tx, actor.realmId, 'shared');
      requireAdmin(await loadActorRights(tx, actor));
      const [channel] = await lockChannels(tx, actor.realmId, { ids: [channelId] }, 'settings');
      if (channel === undefined || channel.is_archived) throw createBadRequestError('Invalid channel ID');
      if (isDefault && channel.is_private) throw createBadRequestError('Private channels cannot be made default.');
      if (channel.is_default === isDefault) return;
      await updateChannelColumns(tx, channelId, { is_default: isDefault });
      await emitDefaultChannels(tx, this.events, actor.realmId);
    });
  }
}
