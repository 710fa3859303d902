import { Inject, Injectable } from '@nestjs/common';
import type { Database } from '@switchboard/database';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { createBadRequestError } from '../../errors.js';
import type { ParametersOf } from '../../infra/http/parameter-decorators.js';
import { DATABASE } from '../../tokens.js';
import { AnnounceChannels } from './announce-new-channels.js';
import { SubscribeUsers, type SubscribeResult } from './subscribe.action.js';
import { subscribeParameters, type updateSubscriptionsParameters } from './subscriptions.schemas.js';
import { UnsubscribeUsers, type UnsubscribeResult } from './unsubscribe.action.js';
import { toRequestedChannels } from './parse-requested-channels.js';

/**
 * Subscribes users to some channels and unsubscribes the users from other channels, in one transaction
 * (docs/contract/chat.md 2.E).
 */
@Injectable()
export class UpdateSubscriptions {
  constructor(
    @Inject(DATABASE) private readonly database: Database,
    private readonly subscribe: SubscribeUsers,
    private readonly unsubscribe: UnsubscribeUsers,
    private readonly announcements: AnnounceChannels,
  ) {}

  /**
   * Subscribes and unsubscribes in one transaction.
   *
   * @throws AppError as {@link SubscribeUsers.run} and {@link UnsubscribeUsers.run}
   */
  async run(
    actor: ChatActor,
    parameters: ParametersOf<typeof updateSubscriptionsParameters>,
  ): Promise<SubscribeResult & UnsubscribeResult> {
    const { add = [], delete: leave = [] } = parameters;
    if (add.length === 0 && leave.length === 0) {
      throw createBadRequestError('Nothing to do. Specify at least one of "add" or "delete".');
    }
    const usual = subscribeParameters.schema.parse({ subscriptions: add });
    const request = { ...usual, requested: toRequestedChannels(add), clientId: await this.announcements.prepare() };
    return this.database.inTransaction(async (tx) => ({
      ...(await this.subscribe.runInTransaction(tx, actor, request)),
      ...(await this.unsubscribe.runInTransaction(tx, actor, leave, undefined)),
    }));
  }
}
