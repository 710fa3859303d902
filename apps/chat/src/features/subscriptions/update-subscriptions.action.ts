import { Inject, Injectable } from '@nestjs/common';
import type { Database } from '@switchboard/database';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { createBadRequestError } from '../../errors.js';
import type { DecodedParametersOfDefinition } from '../../infra/http/parameter-decorators.js';
import { DATABASE_TOKEN } from '../../tokens.js';
import { AnnounceNewChannels } from './announce-new-channels.js';
import { SubscribeUsersToChannels, type SubscribeResult } from './subscribe.action.js';
import { subscribeParameters, type updateSubscriptionsParameters } from './subscriptions.schemas.js';
import { UnsubscribeUsersFromChannels, type UnsubscribeResult } from './unsubscribe.action.js';
import { parseRequestedSubscriptionChannels } from './parse-requested-channels.js';

/**
 * Subscribes users to some channels and unsubscribes the users from other channels, in one transaction
 * (docs/contract/chat.md 2.E).
 */
@Injectable()
export class UpdateSubscriptions {
  constructor(
    @Inject(DATABASE_TOKEN) private readonly database: Database,
    private readonly subscribe: SubscribeUsersToChannels,
    private readonly unsubscribe: UnsubscribeUsersFromChannels,
    private readonly announcements: AnnounceNewChannels,
  ) {}

  /**
   * Subscribes and unsubscribes in one transaction.
   *
   * @throws ApplicationError as {@link SubscribeUsersToChannels.run} and {@link UnsubscribeUsersFromChannels.run}
   */
  async run(
    actor: ChatActor,
    parameters: DecodedParametersOfDefinition<typeof updateSubscriptionsParameters>,
  ): Promise<SubscribeResult & UnsubscribeResult> {
    const { add = [], delete: leave = [] } = parameters;
    if (add.length === 0 && leave.length === 0) {
      throw createBadRequestError('Nothing to do. Specify at least one of "add" or "delete".');
    }
    const usual = subscribeParameters.schema.parse({ subscriptions: add });
    const request = {
      ...usual,
      requested: parseRequestedSubscriptionChannels(add),
      clientId: await this.announcements.createAnnouncementClientRow(),
    };
    return this.database.inTransaction(async (tx) => ({
      ...(await this.subscribe.subscribeInTransaction(tx, actor, request)),
      ...(await this.unsubscribe.unsubscribeInTransaction(tx, actor, leave, undefined)),
    }));
  }
}
