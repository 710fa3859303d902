import { Inject, Injectable } from '@nestjs/common';
import {
  BadEventQueueError,
  type ClientEvent,
  type ClosableStream,
  EventAheadError,
  type EventLog,
  EventLogUnavailableError,
  EventPrunedError,
  TooManyRegistrationsError,
} from '@switchboard/queue';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import type { CredentialOwner } from '../../core/access/credential-owner.js';
import { CredentialWatch } from '../../core/access/watch-credentials.js';
import { createBadRequestError, chatErrors } from '../../errors.js';
import { eventsWithLongIdLists } from '../../events/packed-message-ids.js';
import { UnreadableEntryError } from '../../events/render-event-log-entry.js';
import type { JsonBytes } from '../../infra/http/json-byte-chunks.js';
import type { ParametersOf } from '../../infra/http/parameter-decorators.js';
import { EVENT_LOG } from '../../tokens.js';
import type { deleteQueueParameters, getEventsParameters } from './get-events.schemas.js';
import { PendingRequestCredentials } from './pending-request-credentials.js';
import { QueueEntryRendererFactory } from './queue-entry-renderers.js';

/** Handles GET and DELETE /events (docs/contract/chat.md 3.1). */
@Injectable()
export class PollEvents {
  constructor(
    @Inject(EVENT_LOG) private readonly log: EventLog,
    private readonly renderers: QueueEntryRendererFactory,
    private readonly credentials: PendingRequestCredentials,
    private readonly watch: CredentialWatch,
  ) {}

  /**
   * Returns the events of a queue after the last event that the client has received. By default, waits until the queue
   * has a later event. Returns without events if the session or scoped API key of the request is revoked while the
   * request waits.
   *
   * @param client Closes when the client disconnects.
   * @throws AppError BAD_EVENT_QUEUE_ID, BAD_REQUEST, SERVICE_UNAVAILABLE, UNAUTHORIZED
   */
  async run(
    actor: CredentialOwner,
    parameters: ParametersOf<typeof getEventsParameters>,
    client: ClosableStream,
  ): Promise<{ queue_id: string; events: ClientEvent[] | JsonBytes }> {
    const { queue_id: queueId, last_event_id: lastEventId } = parameters;
    const watched = this.watch.watch(actor);
    const request = {
      realm: actor.realm,
      queueId,
      owner: String(actor.id),
      lastEventId,
      block: !parameters.dont_block,
      client,
      signal: watched?.signal,
    };
    try {
      await this.credentials.requireValidCredentials(actor);
      const events = await this.log.poll(request, this.renderers.createRenderer(actor));
      return { events: eventsWithLongIdLists(events) ?? events, queue_id: queueId };
    } catch (error) {
      throw toEventQueueError(error);
    } finally {
      watched?.release();
    }
  }

  /**
   * Deletes an event queue. Ends a pending poll of the queue.
   *
   * @throws AppError BAD_EVENT_QUEUE_ID
   */
  async remove(actor: ChatActor, parameters: ParametersOf<typeof deleteQueueParameters>): Promise<void> {
    try {
      await this.log.remove({ realm: actor.realm, queueId: parameters.queue_id, owner: String(actor.id) });
    } catch (error) {
      throw toEventQueueError(error);
    }
  }
}

/**
 * Translates an error of the event log into the {@link AppError} that the API returns. Returns every other error
 * unchanged.
 */
export function toEventQueueError(error: unknown): unknown {
  if (error instanceof BadEventQueueError) {
    const fields = { queue_id: error.queueId };
    return chatErrors.create('BAD_EVENT_QUEUE_ID', { params: fields, fields });
  }
  // An entry that this version cannot read is covered by a new snapshot, so the client registers again and loses
  // nothing.
  if (error instanceof UnreadableEntryError) {
    const fields = { queue_id: error.queueId };
    return chatErrors.create('BAD_EVENT_QUEUE_ID', { params: fields, fields, internal: error.message, cause: error });
  }
  if (error instanceof EventPrunedError || error instanceof EventAheadError)
    return createBadRequestError(error.message);
  const isOverloaded = error instanceof EventLogUnavailableError || error instanceof TooManyRegistrationsError;
  if (isOverloaded) return chatErrors.create('SERVICE_UNAVAILABLE', { cause: error });
  return error;
}
