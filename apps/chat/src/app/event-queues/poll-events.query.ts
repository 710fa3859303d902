import { Inject, Injectable } from '@nestjs/common';
import type { CredentialCache } from '@switchboard/auth';
import { BatchedLookup, type Database, type Queryable } from '@switchboard/database';
import {
  BadEventQueueError,
  type ClientEvent,
  type Closable,
  EventAheadError,
  type EventLog,
  EventLogUnavailableError,
  EventPrunedError,
  TooManyRegistrationsError,
} from '@switchboard/queue';
import type { ChatActor } from '../../infra/http/actor.js';
import { ApiKeys } from '../../core/access/api-keys.js';
import { apiKeyTag } from '../../core/access/authenticator.js';
import type { CredentialOwner } from '../../core/access/credential-owner.js';
import { SessionWatch } from '../../core/access/session-watch.js';
import type { ChatConfig } from '../../config.js';
import { badRequest, chatErrors } from '../../errors.js';
import { eventTypes } from '../slices.js';
import type { AnyEventType } from '../../events/event-type.js';
import { eventsWithLongIdLists } from '../../events/message-id-list.js';
import { entryRenderer, UnreadableEntryError } from '../../events/render-entry.js';
import type { JsonBytes } from '../../infra/http/json-bytes.js';
import type { ParametersOf } from '../../infra/http/parameter-decorators.js';
import { CHAT_CONFIG, CREDENTIALS, DATABASE, EVENT_LOG } from '../../tokens.js';
import type { deleteQueueParameters, getEventsParameters } from './events.schemas.js';

/** All event types by the names of their entries in the event log. */
export const typesByName: ReadonlyMap<string, AnyEventType> = new Map(eventTypes.map((type) => [type.name, type]));

/** Handles GET and DELETE /events (docs/contract/chat.md 3.1). */
@Injectable()
export class PollEvents {
  readonly #sessions: BatchedLookup<string, boolean>;
  readonly #keys: BatchedLookup<number, boolean>;

  constructor(
    @Inject(EVENT_LOG) private readonly log: EventLog,
    @Inject(CHAT_CONFIG) private readonly config: ChatConfig,
    private readonly apiKeys: ApiKeys,
    @Inject(DATABASE) { authentication }: Database,
    private readonly sessions: SessionWatch,
    @Inject(CREDENTIALS) private readonly credentials: CredentialCache<CredentialOwner>,
  ) {
    this.#sessions = new BatchedLookup((digests) => areSessions(authentication, digests));
    this.#keys = new BatchedLookup((ids) => areApiKeys(authentication, ids));
  }

  /**
   * Returns the events of a queue after the last one that the client has. By default, waits until there is one. A poll
   * whose session or API key with scopes ends meanwhile returns without events.
   *
   * @param client Closes when the client disconnects.
   * @throws AppError BAD_EVENT_QUEUE_ID, BAD_REQUEST, SERVICE_UNAVAILABLE, UNAUTHORIZED
   */
  async run(
    actor: CredentialOwner,
    parameters: ParametersOf<typeof getEventsParameters>,
    client: Closable,
  ): Promise<{ queue_id: string; events: ClientEvent[] | JsonBytes }> {
    const { queue_id: queueId, last_event_id: lastEventId } = parameters;
    const watched = this.sessions.watch(actor);
    const request = {
      realm: actor.realm,
      queueId,
      owner: String(actor.id),
      lastEventId,
      block: !parameters.dont_block,
      client,
      signal: watched?.signal,
    };
    const secrets = this.apiKeys.readerFor(actor);
    const render = entryRenderer({
      types: typesByName,
      viewer: actor,
      openSecret: (userId, sealed) => secrets.open(userId, sealed),
      checks: this.config.NODE_ENV !== 'production',
    });
    try {
      await this.#requireCredentials(actor);
      const events = await this.log.poll(request, render);
      return { events: eventsWithLongIdLists(events) ?? events, queue_id: queueId };
    } catch (error) {
      throw toAppError(error);
    } finally {
      watched?.release();
    }
  }

  /**
   * Checks that the session or the API key with scopes of the poll still exists. It may have ended after the request was
   * authenticated and before it was watched. A cached API key needs no statement.
   */
  async #requireCredentials({ session, apiKey }: CredentialOwner): Promise<void> {
    if (session !== undefined && !(await this.#sessions.get(session.digest))) throw chatErrors.create('UNAUTHORIZED');
    const key = apiKey?.scoped;
    if (key === undefined || this.credentials.isCached(apiKeyTag(key.id))) return;
    if (!(await this.#keys.get(key.id))) throw chatErrors.create('INVALID_API_KEY');
  }

  /**
   * Deletes an event queue. A pending poll on it ends.
   *
   * @throws AppError BAD_EVENT_QUEUE_ID
   */
  async remove(actor: ChatActor, parameters: ParametersOf<typeof deleteQueueParameters>): Promise<void> {
    try {
      await this.log.remove({ realm: actor.realm, queueId: parameters.queue_id, owner: String(actor.id) });
    } catch (error) {
      throw toAppError(error);
    }
  }
}

/** Returns for each id of an API key with scopes whether the key exists. */
async function areApiKeys(database: Queryable, ids: readonly number[]): Promise<boolean[]> {
  const { rows } = await database.query<{ id: number }>('SELECT id FROM api_keys WHERE id = ANY ($1)', [ids]);
  const known = new Set(rows.map((row) => row.id));
  return ids.map((id) => known.has(id));
}

/** Returns for each digest of a session token whether the session exists. */
async function areSessions(database: Queryable, digests: readonly string[]): Promise<boolean[]> {
  const sql = 'SELECT token_digest FROM sessions WHERE token_digest = ANY ($1)';
  const { rows } = await database.query<{ token_digest: string }>(sql, [digests]);
  const known = new Set(rows.map((row) => row.token_digest));
  return digests.map((digest) => known.has(digest));
}

/**
 * Translates an error of the event log into the {@link AppError} that the API returns. Returns other errors unchanged.
 */
export function toAppError(error: unknown): unknown {
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
  if (error instanceof EventPrunedError || error instanceof EventAheadError) return badRequest(error.message);
  const isOverloaded = error instanceof EventLogUnavailableError || error instanceof TooManyRegistrationsError;
  if (isOverloaded) return chatErrors.create('SERVICE_UNAVAILABLE', { cause: error });
  return error;
}
