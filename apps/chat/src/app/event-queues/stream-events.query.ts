import { Inject, Injectable } from '@nestjs/common';
import type { Clock } from '@switchboard/platform';
import type { EventLog } from '@switchboard/queue';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { CredentialOwner } from '../../core/access/credential-owner.js';
import { CredentialRevocationWatcher } from '../../core/access/watch-credentials.js';
import { RequestAuthenticator } from '../../core/access/request-authenticator.js';
import type { ChatConfig } from '../../config.js';
import { createBadRequestError, chatErrors } from '../../errors.js';
import type { DecodedParametersOfDefinition } from '../../infra/http/parameter-decorators.js';
import { CHAT_CONFIG_TOKEN, CLOCK_TOKEN, EVENT_LOG_TOKEN } from '../../tokens.js';
import {
  CredentialsPossiblyRevokedError,
  EventStreamResponse,
  type EventStreamTimeLimits,
} from './event-stream-response.js';
import type { streamEventsParameters } from './get-events.schemas.js';
import { PendingRequestCredentialChecker } from './pending-request-credentials.js';
import { translateEventLogError } from './poll-events.query.js';
import { EventLogEntryRendererFactory } from './queue-entry-renderers.js';

/** Handles GET /events/stream (docs/contract/chat.md 3.6). */
@Injectable()
export class StreamServerSentEvents {
  readonly #times: EventStreamTimeLimits;

  constructor(
    @Inject(EVENT_LOG_TOKEN) private readonly log: EventLog,
    @Inject(CLOCK_TOKEN) private readonly clock: Clock,
    private readonly renderers: EventLogEntryRendererFactory,
    private readonly credentials: PendingRequestCredentialChecker,
    private readonly watch: CredentialRevocationWatcher,
    private readonly authenticator: RequestAuthenticator,
    @Inject(CHAT_CONFIG_TOKEN) { EVENT_STREAM_MS: streamMs, EVENT_STREAM_WRITE_MS: writeMs }: ChatConfig,
  ) {
    this.#times = { streamMs, writeMs };
  }

  /**
   * Sends the events of a queue as server-sent events. Resolves when the stream is open. The stream ends after its
   * maximum time, or when the client disconnects or does not read in time. A stream also ends when another request
   * takes over the queue, when the credentials change, or when the process stops. The client then reconnects.
   *
   * @throws ApplicationError before the stream is open: BAD_EVENT_QUEUE_ID, BAD_REQUEST, SERVICE_UNAVAILABLE, and
   *   authentication errors. The authentication is repeated if the credentials may have been revoked before the stream
   *   opened.
   */
  async run(
    actor: CredentialOwner,
    parameters: DecodedParametersOfDefinition<typeof streamEventsParameters>,
    reply: FastifyReply,
  ): Promise<void> {
    // Node.js reports the end of a connection only to the response that it is sending, and only once. A pipelined or
    // disconnected stream would never end.
    if (reply.raw.socket === null || reply.raw.closed)
      throw createBadRequestError('A stream of events cannot be pipelined');
    const lastEventId = parseLastEventId(reply.request.headers['last-event-id'], parameters.last_event_id);
    const { raw } = reply;
    const position = { queueId: parameters.queue_id, lastEventId };
    const response = new EventStreamResponse(reply, this.clock, this.#times);
    const release = this.watch.watchEventStreamCredentials(actor, response);
    raw.on('close', release);
    try {
      await response.start(async () => {
        await this.credentials.requireValidCredentials(actor);
        const request = { realm: actor.realm, owner: String(actor.id), client: response, ...position };
        this.log.stream(request, this.renderers.createRenderer(actor), response);
      });
    } catch (error) {
      release();
      if (!(error instanceof CredentialsPossiblyRevokedError)) throw translateEventLogError(error);
      await this.#authenticateAgain(reply.request);
      response.end();
    }
  }

  /**
   * Authenticates a request again, because its credentials may have been revoked after the first authentication. If the
   * credentials are still valid, the stream ends without events: the client reconnects with its current permissions.
   *
   * @throws ApplicationError as the first authentication
   */
  async #authenticateAgain(request: FastifyRequest): Promise<void> {
    if ((await this.authenticator.authenticate(request)) === null) throw chatErrors.create('UNAUTHORIZED');
  }
}

/**
 * Returns the id of the last event that the client has received. The header `Last-Event-ID` takes precedence over the
 * URL parameter, because a browser that reconnects repeats the URL unchanged.
 */
function parseLastEventId(header: string | string[] | undefined, parameter: number | undefined): number {
  if (header !== undefined && header !== '') {
    if (typeof header !== 'string' || !/^-?\d{1,16}$/.test(header))
      throw createBadRequestError('Last-Event-ID is not an integer');
    return Number(header);
  }
  if (parameter !== undefined) return parameter;
  const fields = { var_name: 'last_event_id' };
  throw chatErrors.create('REQUEST_VARIABLE_MISSING', { params: fields, fields });
}
