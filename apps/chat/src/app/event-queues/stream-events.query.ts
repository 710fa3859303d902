import { Inject, Injectable } from '@nestjs/common';
import { AppError } from '@switchboard/errors';
import type { Clock } from '@switchboard/platform';
import type { EventLog } from '@switchboard/queue';
import type { FastifyReply } from 'fastify';
import type { CredentialOwner } from '../../core/access/credential-owner.js';
import { CredentialWatch } from '../../core/access/credential-watch.js';
import type { ChatConfig } from '../../config.js';
import { badRequest, chatErrors } from '../../errors.js';
import { errorBody } from '../../infra/http/error-renderer.js';
import type { ParametersOf } from '../../infra/http/parameter-decorators.js';
import { CHAT_CONFIG, CLOCK, EVENT_LOG } from '../../tokens.js';
import { EventStreamResponse, type StreamTimes } from './event-stream-response.js';
import type { streamEventsParameters } from './events.schemas.js';
import { PendingRequestCredentials } from './pending-request-credentials.js';
import { toAppError } from './poll-events.query.js';
import { QueueRenderers } from './queue-renderers.js';

/** Handles GET /events/stream (docs/contract/chat.md 3.6). */
@Injectable()
export class StreamEvents {
  readonly #times: StreamTimes;

  constructor(
    @Inject(EVENT_LOG) private readonly log: EventLog,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly renderers: QueueRenderers,
    private readonly credentials: PendingRequestCredentials,
    private readonly watch: CredentialWatch,
    @Inject(CHAT_CONFIG) { EVENT_STREAM_MS: streamMs, EVENT_STREAM_WRITE_MS: writeMs }: ChatConfig,
  ) {
    this.#times = { streamMs, writeMs };
  }

  /**
   * Sends the events of a queue as server-sent events. Resolves when the stream is open. The stream ends after its
   * maximum time, when the client disconnects or does not read, when another request takes over the queue, when the
   * credentials change, or when the process stops. The client then reconnects.
   *
   * @throws AppError BAD_EVENT_QUEUE_ID, BAD_REQUEST, SERVICE_UNAVAILABLE, UNAUTHORIZED before the stream is open
   */
  async run(
    actor: CredentialOwner,
    parameters: ParametersOf<typeof streamEventsParameters>,
    reply: FastifyReply,
  ): Promise<void> {
    // Node.js reports the end of a connection only to the response that it is sending, and only once. A pipelined or
    // disconnected stream would never end.
    if (reply.raw.socket === null || reply.raw.closed) throw badRequest('A stream of events cannot be pipelined');
    const lastEventId = parseLastEventId(reply.request.headers['last-event-id'], parameters.last_event_id);
    const response = new EventStreamResponse(reply, this.clock, this.#times);
    const release = this.watch.watchStream(actor, () => response.end());
    reply.raw.once('close', release);
    try {
      await this.credentials.require(actor);
      await this.#open(actor, { queueId: parameters.queue_id, lastEventId }, response, reply);
    } catch (error) {
      release();
      throw toAppError(error);
    }
  }

  #open(
    actor: CredentialOwner,
    position: { queueId: string; lastEventId: number },
    response: EventStreamResponse,
    { raw, log }: FastifyReply,
  ): Promise<void> {
    const request = { realm: actor.realm, owner: String(actor.id), client: raw, ...position };
    return new Promise((resolve, reject) => {
      this.log.stream(request, this.renderers.createRenderer(actor), {
        waiting: () => {
          response.open();
          resolve();
        },
        events: (events, resume) => {
          response.write(events, resume);
          resolve();
        },
        ended: () => {
          response.end();
          resolve();
        },
        failed: (cause) => {
          if (!response.isOpen) return reject(cause);
          const error = toAppError(cause);
          if (!(error instanceof AppError)) log.error({ err: error }, 'event stream failed');
          response.end(errorBody(error instanceof AppError ? error : chatErrors.create('INTERNAL_SERVER_ERROR')));
          resolve();
        },
      });
    });
  }
}

/**
 * Returns the id of the last event that the client has received. The header takes precedence over the parameter,
 * because a browser that reconnects repeats the URL.
 */
function parseLastEventId(header: string | string[] | undefined, parameter: number | undefined): number {
  if (header !== undefined && header !== '') {
    if (typeof header !== 'string' || !/^-?\d{1,16}$/.test(header)) throw badRequest('Last-Event-ID is not an integer');
    return Number(header);
  }
  if (parameter !== undefined) return parameter;
  const fields = { var_name: 'last_event_id' };
  throw chatErrors.create('REQUEST_VARIABLE_MISSING', { params: fields, fields });
}
