import { Inject, Injectable } from '@nestjs/common';
import type { Database, Tx } from '@switchboard/database';
import type { Clock } from '@switchboard/platform';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { findUsers } from '../../core/access/find-users.js';
import { listUsersHiddenFromViewer } from '../../core/access/user-visibility.js';
import { createBadRequestError } from '../../errors.js';
import { ChatEventWriter } from '../../events/chat-events.js';
import type { DecodedParametersOfDefinition } from '../../infra/http/parameter-decorators.js';
import { CLOCK_TOKEN, DATABASE_TOKEN } from '../../tokens.js';
import { getAudienceOfUserEvents, parseUserPathReference } from '../../core/users/index.js';
import { presenceEvent } from './presence.events.js';
import {
  findPresence,
  listReturningUsers,
  listPresencesToEmit,
  listMatchingPresences,
  recordPresences,
} from './presence.repository.js';
import { presenceHistoryDays, type reportPresenceParameters } from './presence.schemas.js';
import { offlineAfterSeconds, type PresenceRecord, getPresenceStatus, toPresenceMap } from './presence-formats.js';
import { PresenceWriter } from './batched-presence-writer.js';
import { lockPresences, lockRealmMembership } from '../../core/database-locks.js';

type PresenceReport = DecodedParametersOfDefinition<typeof reportPresenceParameters>;

/** Records and lists presence (docs/contract/chat.md 2.F). */
@Injectable()
export class PresenceService {
  readonly #writer: PresenceWriter;

  constructor(
    @Inject(DATABASE_TOKEN) private readonly database: Database,
    @Inject(CLOCK_TOKEN) private readonly clock: Clock,
    private readonly events: ChatEventWriter,
  ) {
    this.#writer = new PresenceWriter(database.shared);
  }

  /**
   * Records the actor's presence, and returns the presences of other users.
   * @throws ApplicationError BAD_REQUEST
   */
  async reportOwnPresence(actor: ChatActor, report: PresenceReport) {
    const { status } = report;
    if (status !== 'active' && status !== 'idle') throw createBadRequestError(`Invalid status: ${status}`);
    const isWritten = await this.#writer.record(actor, status === 'active');
    if (!isWritten) await this.database.inTransaction((tx) => this.#emitReturn(tx, actor));
    const selection = { afterId: report.last_update_id ?? -1, days: report.history_limit_days };
    const { presences, lastId } = await this.#list(actor, selection);
    const byId = report.slim_presence || report.last_update_id !== undefined;
    return {
      presence_last_update_id: lastId,
      server_timestamp: this.clock.now() / 1000,
      ...(!report.ping_only && { presences: toPresenceMap(presences, actor, { byId }) }),
    };
  }

  /** Lists the recent presences of the realm's users in an object whose keys are email addresses. */
  async listRealmPresences(actor: ChatActor) {
    const { presences } = await this.#list(actor, { afterId: -1, days: presenceHistoryDays });
    return {
      server_timestamp: this.clock.now() / 1000,
      presences: toPresenceMap(presences, actor, { byId: false }),
    };
  }

  /**
   * Returns the presence of one account.
   * @throws ApplicationError BAD_REQUEST
   */
  async getUserPresence(actor: ChatActor, user: string) {
    const reference = parseUserPathReference(user);
    const found = (await findUsers(this.database, actor, [reference], { lock: false })).get(reference);
    const presence = found === undefined ? null : await findPresence(this.database, found.id);
    if (presence !== null) return { presence: this.#toShownPresences(presence) };
    if (found?.id !== actor.id) throw createBadRequestError(`No presence data for ${user}`);
    // Bots request their own presence before they have reported any.
    const never = { status: 'offline' as const, timestamp: 0 };
    return { presence: { aggregated: never, website: never } };
  }

  #toShownPresences(presence: PresenceRecord) {
    const website = getPresenceStatus(presence);
    const isOffline = website.timestamp < this.clock.now() / 1000 - offlineAfterSeconds;
    return { aggregated: isOffline ? { ...website, status: 'offline' as const } : website, website };
  }

  /** Records that the actor is active after a time of inactivity, and emits an event with the actor's presence. */
  async #emitReturn(tx: Tx, { id, realmId }: ChatActor): Promise<void> {
    await lockRealmMembership(tx, realmId, 'shared');
    await lockPresences(tx, [id]);
    const isReturning = (await listReturningUsers(tx, realmId, [id])).has(id);
    const { audience } = await getAudienceOfUserEvents(tx, realmId, id);
    await recordPresences(tx, realmId, [{ userId: id, isActive: true }]);
    const [presence] = isReturning ? await listPresencesToEmit(tx, realmId, [id]) : [];
    if (presence === undefined) return;
    const payload = { presence, serverTimestamp: this.clock.now() / 1000 };
    this.events.write(tx, realmId, presenceEvent, { audience, payload });
  }

  async #list(actor: ChatActor, selection: { readonly afterId: number; readonly days: number }) {
    const { presences, lastId } = await listMatchingPresences(this.database, actor.realmId, selection);
    const hidden = await listUsersHiddenFromViewer(this.database, actor);
    return { presences: presences.filter(({ id }) => !hidden.has(id)), lastId };
  }
}
