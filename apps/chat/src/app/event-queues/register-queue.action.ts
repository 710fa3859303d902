import { Inject, Injectable } from '@nestjs/common';
import { ClientDisconnectedError, type Database } from '@switchboard/database';
import { type Clock, getCurrentDisconnect } from '@switchboard/platform';
import type { ClientEvent, EventLog, PreviousEventQueue } from '@switchboard/queue';
import { type ChatActor, isGuest } from '../../infra/http/chat-actor.js';
import { ApiKeyStore } from '../../core/access/api-keys.js';
import { isSpectator, createSpectatorActor } from '../../core/access/spectator-actor.js';
import type { SqlQueryRunner } from '../../infra/sql-reader.js';
import type { ChatConfig } from '../../config.js';
import { createBadRequestError, chatErrors } from '../../errors.js';
import { serializeEventsWithLongLists } from '../../events/packed-message-ids.js';
import { allPublicMessagesAudienceRole } from '../../events/event-queue-options.js';
import { createSnapshotContext, createFetchTypePredicate } from '../../events/snapshot-context.js';
import { listPartsMissingFromDelta, readRequestedSnapshotParts } from '../../events/define-snapshot-part.js';
import { allSnapshotParts } from '../slices.js';
import { serializeResponseBodyToChunks } from '../../infra/http/json-byte-chunks.js';
import { MessageRenderer } from '../../infra/markdown/index.js';
import type { DecodedParametersOfDefinition } from '../../infra/http/parameter-decorators.js';
import { SnapshotDataCache } from '../../events/snapshot-memory/index.js';
import {
  CHAT_CONFIG_TOKEN,
  CLOCK_TOKEN,
  DATABASE_TOKEN,
  EVENT_LOG_TOKEN,
  MESSAGE_RENDERER_TOKEN,
  SERVER_GENERATION_TOKEN,
} from '../../tokens.js';
import { checkEventQueueNarrow } from '../../core/messages/index.js';
import { announcedServerVersion } from '../../core/realms/index.js';
import { findRealmThatAllowsSpectators } from '../../core/users/index.js';
import { translateEventLogError } from './poll-events.query.js';
import { getQueueIdleTimeoutSeconds } from './queue-lifetime.js';
import { EventLogEntryRendererFactory } from './queue-entry-renderers.js';
import type { registerEventQueueParameters } from './register-request.schemas.js';

type RegisterEventQueueParameters = DecodedParametersOfDefinition<typeof registerEventQueueParameters>;

/**
 * Host and origin of a POST /register request. The host determines the realm, and the URLs in the response begin with
 * the origin.
 */
export interface EventQueueRegistrationOrigin {
  readonly host: string;
  readonly origin: string;
}

interface EventQueueRegistrationRequest {
  readonly actor: ChatActor;
  readonly parameters: RegisterEventQueueParameters;
  readonly origin: string;
  /**
   * True if the client receives only the events since its former event queue (a delta). The response then omits the
   * fields that those events update.
   */
  readonly isDelta?: boolean;
}

/**
 * Handles POST /register: creates an event queue, and returns the initial state to which the events of the queue apply
 * (chat-4.20, docs/contract/chat.md 3.2 and 4).
 */
@Injectable()
export class RegisterEventQueue {
  constructor(
    @Inject(EVENT_LOG_TOKEN) private readonly log: EventLog,
    @Inject(DATABASE_TOKEN) private readonly database: Database,
    @Inject(CHAT_CONFIG_TOKEN) private readonly config: ChatConfig,
    @Inject(SERVER_GENERATION_TOKEN) private readonly serverGeneration: number,
    @Inject(CLOCK_TOKEN) private readonly clock: Clock,
    private readonly apiKeys: ApiKeyStore,
    private readonly renderers: EventLogEntryRendererFactory,
    @Inject(MESSAGE_RENDERER_TOKEN) private readonly renderer: MessageRenderer,
    private readonly parts: SnapshotDataCache,
  ) {}

  /**
   * @param actor null for a client without an account, which receives the state but no queue
   * @throws ApplicationError BAD_REQUEST, UNAUTHORIZED, SERVICE_UNAVAILABLE
   */
  async run(
    actor: ChatActor | null,
    parameters: RegisterEventQueueParameters,
    { host, origin }: EventQueueRegistrationOrigin,
  ): Promise<object> {
    checkEventQueueNarrow(parameters.narrow);
    const response =
      actor === null
        ? await this.#spectatorSnapshot(parameters, { host, origin })
        : await this.#register({ actor, parameters, origin });
    const idleSeconds = getQueueIdleTimeoutSeconds(parameters, this.config);
    const noDelta = parameters.last_known && { delta: null };
    return { ...announcedServerVersion, idle_queue_timeout_secs: idleSeconds, ...noDelta, ...response };
  }

  async #register(registration: EventQueueRegistrationRequest): Promise<object> {
    const { actor, parameters, origin } = registration;
    const disconnect = getCurrentDisconnect();
    // Log entries are rendered for the role that the actor has in the snapshot, which is read first.
    let current = actor;
    const options = {
      realm: actor.realm,
      owner: String(actor.id),
      roles: listEventAudienceRoles(actor, parameters),
      idleTimeoutSeconds: getQueueIdleTimeoutSeconds(parameters, this.config),
      filter: { eventTypes: parameters.event_types ?? null, narrow: parameters.narrow },
      capabilities: {
        applyMarkdown: parameters.apply_markdown,
        clientGravatar: parameters.client_gravatar ?? true,
        slimPresence: parameters.slim_presence,
        capabilities: parameters.client_capabilities,
      },
      snapshot: {
        types: selectFetchTypes(parameters),
        includeSubscribers: parameters.include_subscribers,
        origin,
        server: announcedServerVersion,
      },
      lastKnown: this.#lastKnown(parameters, () => current),
      abandoned: () => (disconnect?.hasOccurred === true ? new ClientDisconnectedError() : undefined),
    };
    try {
      const { queueId, lastEventId, snapshot, delta } = await this.log.register(options, async (tx, isDelta) => {
        current = await replaceActorRoleFromSnapshot(tx, actor);
        return this.#snapshot(tx, { ...registration, actor: current, isDelta });
      });
      return {
        queue_id: queueId,
        last_event_id: lastEventId,
        ...snapshot,
        ...(delta && { delta: createMissedEventsResponseField(delta) }),
      };
    } catch (error) {
      throw translateEventLogError(error);
    }
  }

  /**
   * Returns the client's former event queue, whose missed events the response may contain. The queue's log entries are
   * rendered for the user that `viewer` returns.
   */
  #lastKnown(
    { last_known: known }: RegisterEventQueueParameters,
    viewer: () => ChatActor,
  ): PreviousEventQueue | undefined {
    if (known === undefined) return undefined;
    let renderer: PreviousEventQueue['render'] | undefined;
    return {
      queueId: known.queue_id,
      lastEventId: known.last_event_id,
      render: (entry, queue) => {
        renderer ??= this.renderers.createRenderer(viewer());
        return renderer(entry, queue);
      },
    };
  }

  async #spectatorSnapshot(
    parameters: RegisterEventQueueParameters,
    { host, origin }: EventQueueRegistrationOrigin,
  ): Promise<object> {
    rejectSpectatorParameters(parameters);
    const realm = await findRealmThatAllowsSpectators(this.database, host);
    if (realm === null) throw chatErrors.create('UNAUTHORIZED');
    const registration = { actor: createSpectatorActor(realm), parameters, origin };
    const snapshot = await this.database.inTransaction((tx) => this.#snapshot(tx, registration), {
      isolation: 'repeatable read',
      readOnly: true,
    });
    return { queue_id: null, last_event_id: -1, ...snapshot };
  }

  #snapshot(
    tx: SqlQueryRunner,
    { actor, parameters, origin, isDelta = false }: EventQueueRegistrationRequest,
  ): Promise<object> {
    const types = selectFetchTypes(parameters);
    const context = createSnapshotContext({
      tx,
      parts: this.parts.createReader(tx),
      actor,
      form: { ...parameters, client_gravatar: parameters.client_gravatar ?? !isSpectator(actor) },
      wants: createFetchTypePredicate(types),
      namesTypes: types !== null,
      origin,
      renderer: this.renderer,
      config: this.config,
      apiKeys: this.apiKeys.createSecretDecryptor(actor),
      serverGeneration: this.serverGeneration,
      nowMs: this.clock.now(),
    });
    const eventTypes = parameters.event_types ?? null;
    return readRequestedSnapshotParts(
      context,
      isDelta ? listPartsMissingFromDelta(context, allSnapshotParts, eventTypes) : allSnapshotParts,
    );
  }
}

/** Returns the names of the fetch types for which the snapshot contains fields; null for all fetch types. */
function selectFetchTypes(parameters: RegisterEventQueueParameters): readonly string[] | null {
  return parameters.fetch_event_types ?? parameters.event_types ?? null;
}

function createMissedEventsResponseField(events: readonly ClientEvent[]): object {
  const json = serializeEventsWithLongLists(events);
  return (json && serializeResponseBodyToChunks({ events: json })) ?? { events };
}

/**
 * Returns the acting user with the role that the database snapshot contains. The role in cached credentials may be
 * older, and the new event queue receives no event about a role change before the snapshot.
 */
async function replaceActorRoleFromSnapshot(tx: SqlQueryRunner, actor: ChatActor): Promise<ChatActor> {
  const { rows } = await tx.query<{ role: number }>('SELECT role FROM users WHERE id = $1', [actor.id]);
  return { ...actor, role: rows[0]?.role ?? actor.role };
}

/**
 * Throws if a client without an account sends POST /register parameters that would reveal email addresses or
 * memberships (chat-5-5).
 */
function rejectSpectatorParameters(parameters: RegisterEventQueueParameters): void {
  const refused = (name: string) => createBadRequestError(`Invalid '${name}' parameter for anonymous request`);
  if (parameters.client_gravatar === true) throw refused('client_gravatar');
  if (parameters.include_subscribers !== 'false') throw refused('include_subscribers');
}

/**
 * Returns the roles that an event queue has when the event log selects an event's recipients. The roles let queues for
 * all public channels, and queues with a narrow, receive messages for which their owner is not a recipient
 * (docs/contract/chat.md 3.2).
 */
function listEventAudienceRoles(actor: ChatActor, parameters: RegisterEventQueueParameters): string[] {
  if (parameters.all_public_streams && isGuest(actor))
    throw createBadRequestError('User not authorized for this query');
  const looksAround = parameters.all_public_streams || parameters.narrow.length > 0;
  return looksAround && !isGuest(actor) ? [allPublicMessagesAudienceRole] : [];
}
