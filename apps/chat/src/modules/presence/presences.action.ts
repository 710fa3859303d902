import { Inject, Injectable } from '@nestjs/common';
import type { Database, Tx } from '@switchboard/database';
import type { Clock } from '@switchboard/platform';
import type { ChatActor } from '../../access/actor.js';
import { findUsers } from '../../access/find-users.js';
import { lockPopulation } from '../../access/population-lock.js';
import { listHiddenUsers } from '../../access/user-visibility.js';
import { badRequest } from '../../errors.js';
import { ChatEvents } from '../../events/chat-events.js';
import type { ParametersOf } from '../../http/parameter-decorators.js';
import { CLOCK, DATABASE } from '../../tokens.js';
import { audienceOfUser, userReference } from '../users/index.js';
import { presenceEvent } from './presence.events.js';
import { findPresence, listPresences, reportPresence } from './presence.repository.js';
import { historyDays, type reportPresenceParameters } from './presence.schemas.js';
import { offlineAfterSeconds, type PresenceRecord, statusOf, toPresenceMap } from './presence-record.js';

type Report = ParametersOf<typeof reportPresenceParameters>;

/** Who is there (chat-contract 2.F). */
@Injectable()
export class Presences {
  constructor(
    @Inject(DATABASE) private readonly database: Database,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly events: ChatEvents,
  ) {}

  /** Keeps that the actor is there, and answers with who else is. @throws AppError BAD_REQUEST */
  async report(actor: ChatActor, report: Report) {
    const { status } = report;
    if (status !== 'active' && status !== 'idle') throw badRequest(`Invalid status: ${status}`);
    await this.database.inTransaction((tx) => this.#report(tx, actor, status === 'active'));
    const selection = { afterId: report.last_update_id ?? -1, days: report.history_limit_days };
    const { presences, lastId } = await this.#list(actor, selection);
    const byId = report.slim_presence || report.last_update_id !== undefined;
    return {
      presence_last_update_id: lastId,
      server_timestamp: this.clock.now() / 1000,
      ...(!report.ping_only && { presences: toPresenceMap(presences, actor, { byId }) }),
    };
  }

  /** Everybody who was there of late, by address. */
  async listAll(actor: ChatActor) {
    const { presences } = await this.#list(actor, { afterId: -1, days: historyDays });
    return {
      server_timestamp: this.clock.now() / 1000,
      presences: toPresenceMap(presences, actor, { byId: false }),
    };
  }

  /** Whether one account is there. @throws AppError BAD_REQUEST */
  async get(actor: ChatActor, user: string) {
    const reference = userReference(user);
    const found = (await findUsers(this.database, actor, [reference], { lock: false })).get(reference);
    const presence = found === undefined ? null : await findPresence(this.database, found.id);
    if (presence !== null) return { presence: this.#seen(presence) };
    if (found?.id !== actor.id) throw badRequest(`No presence data for ${user}`);
    // Bots ask for their own before they have reported any.
    const never = { status: 'offline' as const, timestamp: 0 };
    return { presence: { aggregated: never, website: never } };
  }

  #seen(presence: PresenceRecord) {
    const website = statusOf(presence);
    const isOffline = website.timestamp < this.clock.now() / 1000 - offlineAfterSeconds;
    return { aggregated: isOffline ? { ...website, status: 'offline' as const } : website, website };
  }

  async #report(tx: Tx, actor: ChatActor, isActive: boolean): Promise<void> {
    await lockPopulation(tx, actor.realmId, 'shared');
    const reported = await reportPresence(tx, actor, isActive);
    if (reported === null || !reported.isTold) return;
    const { presence, activeBefore } = reported;
    const cameBack = isActive && presence.active - activeBefore > offlineAfterSeconds;
    if (!cameBack) return;
    const { audience } = await audienceOfUser(tx, actor.realmId, actor.id);
    const payload = { presence, serverTimestamp: this.clock.now() / 1000 };
    this.events.write(tx, actor.realmId, presenceEvent, { audience, payload });
  }

  async #list(actor: ChatActor, selection: { readonly afterId: number; readonly days: number }) {
    const { presences, lastId } = await listPresences(this.database, actor.realmId, selection);
    const hidden = await listHiddenUsers(this.database, actor);
    return { presences: presences.filter(({ id }) => !hidden.has(id)), lastId };
  }
}
