import { Inject, Injectable } from '@nestjs/common';
import type { Database } from '@switchboard/database';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { toActorRights } from '../access/actor-rights.js';
import { createBadRequestError } from '../../errors.js';
import { ChatEvents } from '../../events/chat-events.js';
import { DATABASE } from '../../tokens.js';
import { endQueuesOfLimitedGuests } from '../users/index.js';
import { listChannelAudiences } from './channel-audience.repository.js';
import { emitDefaultChannels } from './emit-channel-changes.js';
import { removeFromDefaultChannelGroups } from './default-channel-group.js';
import { ChannelNotificationMessages } from './channel-notification-messages.js';
import { getManagedChannel } from './get-managed-channel.js';
import { streamDeleteEvent, streamUpdateEvent } from './channel.events.js';
import { updateChannelColumns } from './update-channel-columns.repository.js';
import { lockRealmMembership } from '../database-locks.js';

/**
 * Archives a channel (docs/contract/chat.md 2.E, DELETE /streams/{stream_id}): the channel's messages remain readable,
 * and users can no longer subscribe.
 */
@Injectable()
export class ArchiveChannel {
  constructor(
    @Inject(DATABASE) private readonly database: Database,
    private readonly events: ChatEvents,
    private readonly notices: ChannelNotificationMessages,
  ) {}

  /**
   * Archives the channel with the given id.
   *
   * @throws AppError BAD_REQUEST, CANNOT_ADMINISTER_CHANNEL
   */
  async run(actor: ChatActor, channelId: number): Promise<void> {
    const { realmId } = actor;
    const clientId = await this.notices.prepare();
    await this.database.inTransaction(async (tx) => {
      await lockRealmMembership(tx, realmId, 'shared');
      const { channel } = await getManagedChannel(tx, actor, await toActorRights(tx, actor), channelId);
      if (channel.is_archived) throw createBadRequestError('Channel is already archived.');
      await this.notices.postArchived(tx, actor, channel, clientId);
      await updateChannelColumns(tx, channelId, { is_archived: true, is_default: false });
      const audiences = await listChannelAudiences(tx, realmId, [channelId]);
      const audience = { users: audiences.get(channelId)?.viewers ?? [] };
      const change = { stream_id: channelId, name: channel.name, property: 'is_archived' as const, value: true };
      this.events.write(tx, realmId, streamUpdateEvent, {
        audience,
        payload: { change, clients: 'knowing_archived' },
      });
      this.events.write(tx, realmId, streamDeleteEvent, {
        audience,
        payload: { channelIds: [channelId], clients: 'not_knowing_archived' },
      });
      await removeFromDefaultChannelGroups(tx, this.events, realmId, channelId);
      if (channel.is_default) await emitDefaultChannels(tx, this.events, realmId);
      const userIds = audiences.get(channelId)?.subscribers ?? [];
      await endQueuesOfLimitedGuests(tx, this.events, realmId, { channelIds: [channelId], userIds });
    });
  }
}
