import { Inject, Injectable } from '@nestjs/common';
import type { EventLog } from '@switchboard/queue';
import { type ChatActor, isGuest } from '../../access/actor.js';
import { ApiKeys } from '../../access/api-keys.js';
import type { SqlReader } from '../../access/sql-reader.js';
import type { ChatConfig } from '../../config.js';
import { badRequest } from '../../errors.js';
import { publicMessages } from '../../events/queue-options.js';
import type { ParametersOf } from '../../http/parameter-decorators.js';
import { CHAT_CONFIG, EVENT_LOG, SERVER_GENERATION } from '../../tokens.js';
import { checkQueueNarrow } from '../messages/index.js';
import { realmBlock, serverVersion } from '../realms/index.js';
import { translated } from './poll-events.query.js';
import { idleTimeoutSeconds } from './queue-lifetime.js';
import type { registerParameters } from './register.schemas.js';
import { readBasics } from './snapshot/basics.js';
import { botsSnapshot } from './snapshot/bots.js';
import { channelsSnapshot } from './snapshot/channels.js';
import { emptySnapshot } from './snapshot/empty-fields.js';
import { historySnapshot } from './snapshot/history.js';
import { settingsSnapshot } from './snapshot/own.js';
import { peopleSnapshot } from './snapshot/people.js';
import { type SnapshotBasics, type SnapshotContext, wantsOf } from './snapshot/snapshot-context.js';

type Parameters = ParametersOf<typeof registerParameters>;

/** Answers POST /register: a queue, and the state that its events continue (chat.md 4.20, chat-contract 3.2 and 4). */
@Injectable()
export class RegisterQueue {
  constructor(
    @Inject(EVENT_LOG) private readonly log: EventLog,
    @Inject(CHAT_CONFIG) private readonly config: ChatConfig,
    @Inject(SERVER_GENERATION) private readonly serverGeneration: number,
    private readonly apiKeys: ApiKeys,
  ) {}

  /** @throws AppError BAD_REQUEST, SERVICE_UNAVAILABLE */
  async run(actor: ChatActor, parameters: Parameters, origin: string): Promise<object> {
    checkQueueNarrow(parameters.narrow);
    const roles = rolesOf(actor, parameters);
    const idleSeconds = idleTimeoutSeconds(parameters, this.config);
    const options = {
      realm: actor.realm,
      owner: String(actor.id),
      roles,
      idleTimeoutSeconds: idleSeconds,
      filter: { eventTypes: parameters.event_types ?? null, narrow: parameters.narrow },
      capabilities: {
        applyMarkdown: parameters.apply_markdown,
        clientGravatar: parameters.client_gravatar,
        capabilities: parameters.client_capabilities,
      },
    };
    try {
      const { queueId, lastEventId, snapshot } = await this.log.register(options, (tx) =>
        this.#snapshot(tx, actor, parameters, origin),
      );
      return {
        queue_id: queueId,
        last_event_id: lastEventId,
        ...serverVersion,
        idle_queue_timeout_secs: idleSeconds,
        ...snapshot,
      };
    } catch (error) {
      throw translated(error);
    }
  }

  /** Eleven statements at most, all in the one view of the database that the queue continues. */
  async #snapshot(tx: SqlReader, actor: ChatActor, parameters: Parameters, origin: string): Promise<object> {
    const types = parameters.fetch_event_types ?? parameters.event_types ?? null;
    const context: SnapshotContext = {
      tx,
      actor,
      parameters,
      wants: wantsOf(types),
      namesTypes: types !== null,
      origin,
      config: this.config,
      apiKeys: this.apiKeys,
      serverGeneration: this.serverGeneration,
    };
    const basics = await readBasics(context);
    return {
      ...(context.wants('realm') && this.#realm(context, basics)),
      ...peopleSnapshot(context, basics),
      ...(await channelsSnapshot(context, basics)),
      ...(await historySnapshot(context)),
      ...settingsSnapshot(context, basics),
      ...(await botsSnapshot(context, basics)),
      ...emptySnapshot(context),
    };
  }

  #realm(context: SnapshotContext, basics: SnapshotBasics): object {
    return realmBlock(basics.realm, {
      values: basics.values,
      systemGroups: basics.systemGroups,
      origin: context.origin,
      botDomain: this.config.DEMO_BOT_DOMAIN ?? this.config.DEMO_EMAIL_DOMAIN,
      isDevelopment: this.config.NODE_ENV !== 'production',
      serverGeneration: this.serverGeneration,
    });
  }
}

/** Queues for all public channels, or with a narrow, also receive what their owner does not (chat-contract 3.2). */
function rolesOf(actor: ChatActor, parameters: Parameters): string[] {
  if (parameters.all_public_streams && isGuest(actor)) throw badRequest('User not authorized for this query');
  const looksAround = parameters.all_public_streams || parameters.narrow.length > 0;
  return looksAround && !isGuest(actor) ? [publicMessages] : [];
}
