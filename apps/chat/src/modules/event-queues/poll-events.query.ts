import { Inject, Injectable } from '@nestjs/common';
import {
  BadEventQueueError,
  type ClientEvent,
  type Closable,
  EventAheadError,
  type EventLog,
  EventLogUnavailableError,
  EventPrunedError,
} from '@switchboard/queue';
import type { ChatActor } from '../../access/actor.js';
import { ApiKeys } from '../../access/api-keys.js';
import type { ChatConfig } from '../../config.js';
import { badRequest, chatErrors } from '../../errors.js';
import { eventTypes } from '../../events/event-types.js';
import type { AnyEventType } from '../../events/event-type.js';
import { entryRenderer, UnreadableEntryError } from '../../events/render-entry.js';
import type { ParametersOf } from '../../http/parameter-decorators.js';
import { CHAT_CONFIG, EVENT_LOG } from '../../tokens.js';
import type { deleteQueueParameters, getEventsParameters } from './events.schemas.js';

const typesByName: ReadonlyMap<string, AnyEventType> = new Map(eventTypes.map((type) => [type.name, type]));

/** Answers GET and DELETE /events (chat-contract 3.1). */
@Injectable()
export class PollEvents {
  constructor(
    @Inject(EVENT_LOG) private readonly log: EventLog,
    @Inject(CHAT_CONFIG) private readonly config: ChatConfig,
    private readonly apiKeys: ApiKeys,
  ) {}

  /**
   * Events after the last one that the client has; waits for one unless told not to.
   *
   * @param client Closes when the client has gone.
   * @throws AppError BAD_EVENT_QUEUE_ID, BAD_REQUEST, SERVICE_UNAVAILABLE
   */
  async run(
    actor: ChatActor,
    parameters: ParametersOf<typeof getEventsParameters>,
    client: Closable,
  ): Promise<{ queue_id: string; events: ClientEvent[] }> {
    const { queue_id: queueId, last_event_id: lastEventId } = parameters;
    const request = {
      realm: actor.realm,
      queueId,
      owner: String(actor.id),
      lastEventId,
      block: !parameters.dont_block,
      client,
    };
    const render = entryRenderer({
      types: typesByName,
      viewer: actor,
      openSecret: (userId, sealed) => this.apiKeys.open(userId, sealed),
      checks: this.config.NODE_ENV !== 'production',
    });
    try {
      return { events: await this.log.poll(request, render), queue_id: queueId };
    } catch (error) {
      throw translated(error);
    }
  }

  /** Deletes a queue; a poll that is held on it ends. @throws AppError BAD_EVENT_QUEUE_ID */
  async remove(actor: ChatActor, parameters: ParametersOf<typeof deleteQueueParameters>): Promise<void> {
    try {
      await this.log.remove({ realm: actor.realm, queueId: parameters.queue_id, owner: String(actor.id) });
    } catch (error) {
      throw translated(error);
    }
  }
}

/** What the event log says, in the words of the wire. */
export function translated(error: unknown): unknown {
  if (error instanceof BadEventQueueError) {
    const fields = { queue_id: error.queueId };
    return chatErrors.create('BAD_EVENT_QUEUE_ID', { params: fields, fields });
  }
  // What this version cannot read, its snapshot has: the client registers again and misses nothing.
  if (error instanceof UnreadableEntryError) {
    const fields = { queue_id: error.queueId };
    return chatErrors.create('BAD_EVENT_QUEUE_ID', { params: fields, fields, internal: error.message, cause: error });
  }
  if (error instanceof EventPrunedError || error instanceof EventAheadError) return badRequest(error.message);
  if (error instanceof EventLogUnavailableError) return chatErrors.create('SERVICE_UNAVAILABLE', { cause: error });
  return error;
}
