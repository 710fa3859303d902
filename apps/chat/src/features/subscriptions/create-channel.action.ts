import { Inject, Injectable } from '@nestjs/common';
import type { Database } from '@switchboard/database';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { toActorRights, rejectGuests } from '../../core/access/actor-rights.js';
import { createBadRequestError } from '../../errors.js';
import { ChatEvents } from '../../events/chat-events.js';
import type { ParametersOf } from '../../infra/http/parameter-decorators.js';
import type { MessageRenderer } from '../../infra/markdown/index.js';
import { DATABASE, RENDERER } from '../../tokens.js';
import {
  channelDescription,
  channelName,
  createChannels,
  listUnusedNames,
  lockChannels,
} from '../../core/channels/index.js';
import { AnnounceChannels } from './announce-new-channels.js';
import { lockPrincipals } from './lock-subscription-principals.repository.js';
import type { createChannelParameters } from './subscriptions.schemas.js';
import { NotifyNewSubscribers } from './notify-new-subscribers.js';
import { writeSubscriptions } from './write-subscriptions.js';
import { lockChannelNames, lockRealmMembership } from '../../core/database-locks.js';

/**
 * Creates a channel with its first subscribers (docs/contract/chat.md 2.E, /channels/create). Names of existing
 * channels are rejected.
 */
@Injectable()
export class CreateChannel {
  constructor(
    @Inject(DATABASE) private readonly database: Database,
    @Inject(RENDERER) private readonly renderer: MessageRenderer,
    private readonly events: ChatEvents,
    private readonly announcements: AnnounceChannels,
    private readonly newSubscribers: NotifyNewSubscribers,
  ) {}

  /**
   * Creates the requested channel and returns the id of the channel.
   *
   * @throws AppError BAD_REQUEST, UNAUTHORIZED_PRINCIPAL, SYSTEM_GROUP_REQUIRED
   */
  async run(actor: ChatActor, parameters: ParametersOf<typeof createChannelParameters>): Promise<{ id: number }> {
    const { realmId } = actor;
    const name = channelName(parameters.name);
    const channel = { name, description: channelDescription(parameters.description) };
    const clientId = await this.announcements.prepare();
    return this.database.inTransaction(async (tx) => {
      await lockRealmMembership(tx, realmId, 'shared');
      await lockChannelNames(tx, realmId);
      const rights = await toActorRights(tx, actor);
      rejectGuests(rights);
      const free = await listUnusedNames(tx, realmId, [name]);
      if (free.length === 0) throw createBadRequestError(`Channel '${name}' already exists`);
      const isEmpty = parameters.subscribers.length === 0;
      const principals = isEmpty ? [] : await lockPrincipals(tx, actor, parameters.subscribers);
      const [id = 0] = await createChannels(tx, [channel], { actor, rights, parameters, renderer: this.renderer });
      const added = await writeSubscriptions(tx, this.events, {
        realmId,
        principals,
        subscriptions: principals.map((principal) => ({ userId: principal.id, channelId: id })),
        createdIds: [id],
        createdAreDefault: parameters.is_default_stream,
      });
      const channels = await lockChannels(tx, realmId, { ids: [id] }, 'subscribers');
      if (parameters.announce) await this.announcements.post(tx, actor, channels, clientId);
      if (parameters.send_new_subscription_messages) {
        await this.newSubscribers.post(tx, actor, { added, channels, clientId });
      }
      return { id };
    });
  }
}
