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
import { CredentialRevocationWatcher } from '../../core/access/watch-credentials.js';
import { createBadRequestError, chatErrors } from '../../errors.js';
import { serializeEventsWithLongLists } from '../../events/packed-message-ids.js';
import { UnreadableEventLogEntryError } from '../../events/render-event-log-entry.js';
import type { JsonBytes } from '../../infra/http/json-byte-chunks.js';
import type { DecodedParametersOfDefinition } from '../../infra/http/parameter-decorators.js';
import { EVENT_LOG_TOKEN } from '../../tokens.js';
import type { deleteQueueParameters, getEventsParameters } from './get-events.schemas.js';
import { PendingRequestCredentialChecker } from './pending-request-credentials.js';
import { EventLogEntryRendererFactory } from './queue-entry-renderers.js';

/** Handles GET and DELETE /events (docs/contract/chat.md 3.1). */
@Injectable()
export class PollEvents {
  constructor(
    @Inject(EVENT_LOG_TOKEN) private readonly log: EventLog,
    private readonly renderers: EventLogEntryRendererFactory,
    private readonly credentials: PendingRequestCredentialChecker,
    private readonly watch: CredentialRevocationWatcher,
  ) {}

  /**
   * Returns the events of a queue after the last event that the client has received. By default, waits until the queue
   * has a later event. Returns without events if the session or scoped API key of the request is revoked while the
   * request waits.
   *
   * @param client Closes when the client disconnects.
   * @throws ApplicationError BAD_EVENT_QUEUE_ID, BAD_REQUEST, SERVICE_UNAVAILABLE, UNAUTHORIZED
   */
  async run(
    actor: CredentialOwner,
    parameters: DecodedParametersOfDefinition<typeof getEventsParameters>,
    client: ClosableStream,
  ): Promise<{ queue_id: string; events: ClientEvent[] | JsonBytes }> {
    const { queue_id: queueId, last_event_id: lastEventId } = parameters;
    const watched = this.watch.watchRequestCredentials(actor);
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
      return { events: serializeEventsWithLongLists(events) ?? events, queue_id: queueId };
    } catch (error) {
      throw translateEventLogError(error);
    } finally {
      watched?.release();
    }
  }

  /**
   * Deletes an event queue. Ends a pending poll of the queue.
   *
   * @throws ApplicationError BAD_EVENT_QUEUE_ID
   */
  async removeEventQueue(
    actor: ChatActor,
    parameters: DecodedParametersOfDefinition<typeof deleteQueueParameters>,
  ): Promise<void> {
    try {
      await this.log.remove({ realm: actor.realm, queueId: parameters.queue_id, owner: String(actor.id) });
    } catch (error) {
      throw translateEventLogError(error);
    }
  }
}

/**
 * Translates an error of the event log into the {@link ApplicationError} that the API returns. Returns every other
 * error unchanged.
 */
export function translateEventLogError(error: unknown): unknown {
  if (error instanceof BadEventQueueError) {
    const fields = { queue_id: error.queueId };
    return chatErrors.create('BAD_EVENT_QUEUE_ID', { params: fields, fields });
  }
  // An entry that this version cannot read is covered by a new snapshot, so the client registers again and loses
  // nothing.
  if (error instanceof UnreadableEventLogEntryError) {
    const fields = { queue_id: error.queueId };
    return chatErrors.create('BAD_EVENT_QUEUE_ID', { params: fields, fields, internal: error.message, cause: error });
  }
  if (error instanceof EventPrunedError || error instanceof EventAheadError)
    return createBadRequestError(error.message);
  const isOverloaded = error instanceof EventLogUnavailableError || error instanceof TooManyRegistrationsError;
  if (isOverloaded) return chatErrors.create('SERVICE_UNAVAILABLE', { cause: error });
  return error;
}
