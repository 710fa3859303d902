import { Inject, Injectable } from '@nestjs/common';
import type { Database } from '@switchboard/database';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { badRequest } from '../../errors.js';
import type { ParametersOf } from '../../infra/http/parameter-decorators.js';
import { DATABASE } from '../../tokens.js';
import { AnnounceChannels } from './announce-new-channels.js';
import { Subscribe, type SubscribeResult } from './subscribe.action.js';
import { subscribeParameters, type updateSubscriptionsParameters } from './subscriptions.schemas.js';
import { Unsubscribe, type UnsubscribeResult } from './unsubscribe.action.js';
import { requestedChannels } from './parse-requested-channels.js';

/**
 * Subscribes users to some channels and unsubscribes them from others, either completely or not at all
 * (docs/contract/chat.md 2.E).
 */
@Injectable()
export class UpdateSubscriptions {
  constructor(
    @Inject(DATABASE) private readonly database: Database,
    private readonly subscribe: Subscribe,
    private readonly unsubscribe: Unsubscribe,
    private readonly announcements: AnnounceChannels,
  ) {}

  /**
   * Subscribes and unsubscribes in one transaction.
   *
   * @throws AppError as {@link Subscribe.run} and {@link Unsubscribe.run}
   */
  async run(
    actor: ChatActor,
    parameters: ParametersOf<typeof updateSubscriptionsParameters>,
  ): Promise<SubscribeResult & UnsubscribeResult> {
    const { add = [], delete: leave = [] } = parameters;
    if (add.length === 0 && leave.length === 0) {
      throw badRequest('Nothing to do. Specify at least one of "add" or "delete".');
    }
    const usual = subscribeParameters.schema.parse({ subscriptions: add });
    const request = { ...usual, requested: requestedChannels(add), clientId: await this.announcements.prepare() };
    return this.database.inTransaction(async (tx) => ({
      ...(await this.subscribe.runInTransaction(tx, actor, request)),
      ...(await this.unsubscribe.runInTransaction(tx, actor, leave, undefined)),
    }));
  }
}
