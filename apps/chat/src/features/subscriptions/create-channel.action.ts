import { Inject, Injectable } from '@nestjs/common';
import type { Database } from '@switchboard/database';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { loadActorRights, rejectGuests } from '../../core/access/actor-rights.js';
import { createBadRequestError } from '../../errors.js';
import { ChatEventWriter } from '../../events/chat-events.js';
import type { DecodedParametersOfDefinition } from '../../infra/http/parameter-decorators.js';
import type { MessageRenderer } from '../../infra/markdown/index.js';
import { DATABASE_TOKEN, MESSAGE_RENDERER_TOKEN } from '../../tokens.js';
import {
  parseChannelDescription,
  parseChannelName,
  createChannels,
  listUnusedChannelNames,
  lockChannels,
} from '../../core/channels/index.js';
import { AnnounceNewChannels } from './announce-new-channels.js';
import { lockUsersWithChangingSubscriptions } from './lock-subscription-principals.repository.js';
import type { createChannelParameters } from './subscriptions.schemas.js';
import { NewSubscriberNotifier } from './notify-new-subscribers.js';
import { insertSubscriptionsAndEmitEvents } from './write-subscriptions.js';
import { lockChannelNames, lockRealmMembership } from '../../core/database-locks.js';

/**
 * Creates a channel with its first subscribers (docs/contract/chat.md 2.E, /channels/create). Names of existing
 * channels are rejected.
 */
@Injectable()
export class CreateChannel {
  constructor(
    @Inject(DATABASE_TOKEN) private readonly database: Database,
    @Inject(MESSAGE_RENDERER_TOKEN) private readonly renderer: MessageRenderer,
    private readonly events: ChatEventWriter,
    private readonly announcements: AnnounceNewChannels,
    private readonly newSubscribers: NewSubscriberNotifier,
  ) {}

  /**
   * Creates the requested channel and returns the id of the channel.
   *
   * @throws ApplicationError BAD_REQUEST, UNAUTHORIZED_PRINCIPAL, SYSTEM_GROUP_REQUIRED
   */
  async run(
    actor: ChatActor,
    parameters: DecodedParametersOfDefinition<typeof createChannelParameters>,
  ): Promise<{ id: number }> {
    const { realmId } = actor;
    const name = parseChannelName(parameters.name);
    const channel = { name, description: parseChannelDescription(parameters.description) };
    const clientId = await this.announcements.createAnnouncementClientRow();
    return this.database.inTransaction(async (tx) => {
      await lockRealmMembership(tx, realmId, 'shared');
      await lockChannelNames(tx, realmId);
      const rights = await loadActorRights(tx, actor);
      rejectGuests(rights);
      const free = await listUnusedChannelNames(tx, realmId, [name]);
      if (free.length === 0) throw createBadRequestError(`Channel '${name}' already exists`);
      const isEmpty = parameters.subscribers.length === 0;
      const principals = isEmpty ? [] : await lockUsersWithChangingSubscriptions(tx, actor, parameters.subscribers);
      const [id = 0] = await createChannels(tx, [channel], { actor, rights, parameters, renderer: this.renderer });
      const added = await insertSubscriptionsAndEmitEvents(tx, this.events, {
        realmId,
        principals,
        subscriptions: principals.map((principal) => ({ userId: principal.id, channelId: id })),
        createdIds: [id],
        createdAreDefault: parameters.is_default_stream,
      });
      const channels = await lockChannels(tx, realmId, { ids: [id] }, 'subscribers');
      if (parameters.announce) await this.announcements.postAnnouncement(tx, actor, channels, clientId);
      if (parameters.send_new_subscription_messages) {
        await this.newSubscribers.sendNewSubscriptionMessages(tx, actor, { added, channels, clientId });
      }
      return { id };
    });
  }
}
