import { Inject, Injectable } from '@nestjs/common';
import type { Database } from '@switchboard/database';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { loadActorRights } from '../access/actor-rights.js';
import { createBadRequestError } from '../../errors.js';
import { ChatEventWriter } from '../../events/chat-events.js';
import { DATABASE_TOKEN } from '../../tokens.js';
import { removeEventQueuesOfGuests } from '../users/index.js';
import { listChannelAudiences } from './channel-audience.repository.js';
import { emitDefaultChannels } from './emit-channel-changes.js';
import { removeChannelFromDefaultGroups } from './default-channel-group.js';
import { ChannelNotificationMessagePoster } from './channel-notification-messages.js';
import { lockChannelForActorChange } from './get-managed-channel.js';
import { channelDeleteEvent, channelUpdateEvent } from './channel.events.js';
import { updateChannelColumns } from './update-channel-columns.repository.js';
import { lockRealmMembership } from '../database-locks.js';

/**
 * Archives a channel (docs/contract/chat.md 2.E, DELETE /streams/{stream_id}): the channel's messages remain readable,
 * and users can no longer subscribe.
 */
@Injectable()
export class ArchiveChannel {
  constructor(
    @Inject(DATABASE_TOKEN) private readonly database: Database,
    private readonly events: ChatEventWriter,
    private readonly notices: ChannelNotificationMessagePoster,
  ) {}

  /**
   * Archives the channel with the given id.
   *
   * @throws ApplicationError BAD_REQUEST, CANNOT_ADMINISTER_CHANNEL
   */
  async run(actor: ChatActor, channelId: number): Promise<void> {
    const { realmId } = actor;
    const clientId = await this.notices.createInternalClientRow();
    await this.database.inTransaction(async (tx) => {
      await lockRealmMembership(tx, realmId, 'shared');
      const { channel } = await lockChannelForActorChange(tx, actor, await loadActorRights(tx, actor), channelId);
      if (channel.is_archived) throw createBadRequestError('Channel is already archived.');
      await this.notices.postChannelArchived(tx, actor, channel, clientId);
      await updateChannelColumns(tx, channelId, { is_archived: true, is_default: false });
      const audiences = await listChannelAudiences(tx, realmId, [channelId]);
      const audience = { users: audiences.get(channelId)?.viewers ?? [] };
      const change = { stream_id: channelId, name: channel.name, property: 'is_archived' as const, value: true };
      this.events.write(tx, realmId, channelUpdateEvent, {
        audience,
        payload: { change, clients: 'knowing_archived' },
      });
      this.events.write(tx, realmId, channelDeleteEvent, {
        audience,
        payload: { channelIds: [channelId], clients: 'not_knowing_archived' },
      });
      await removeChannelFromDefaultGroups(tx, this.events, realmId, channelId);
      if (channel.is_default) await emitDefaultChannels(tx, this.events, realmId);
      const userIds = audiences.get(channelId)?.subscribers ?? [];
      await removeEventQueuesOfGuests(tx, this.events, realmId, { channelIds: [channelId], userIds });
    });
  }
}
