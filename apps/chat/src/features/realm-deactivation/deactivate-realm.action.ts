import { Inject, Injectable } from '@nestjs/common';
import type { Database, Tx } from '@switchboard/database';
import { AccessRevocation } from '../../core/access/access-revocation.js';
import { loadActorRights, rejectGuests, requireOwner } from '../../core/access/actor-rights.js';
import { RealmByHostCache } from '../../core/access/realm-hosts.js';
import { lockRealm, lockRealmMembership } from '../../core/database-locks.js';
import { minRealmDeletionDays } from '../../core/realms/index.js';
import { createBadRequestError, chatErrors } from '../../errors.js';
import { ChatEventWriter } from '../../events/chat-events.js';
import { chatAudit } from '../../infra/audit-trail.js';
import { type ChatActor, userRoleNumbers } from '../../infra/http/chat-actor.js';
import { OutgoingMailWriter } from '../../infra/mail/index.js';
import { DATABASE_TOKEN } from '../../tokens.js';
import { realmDeactivatedEvent } from './realm-deactivation.events.js';

/**
 * Deactivates the organization (docs/contract/chat.md 2.H). All sessions and event queues of the organization's users
 * end, and every later request fails with the error REALM_DEACTIVATED. An operator can reactivate the organization
 * until its data is deleted.
 */
@Injectable()
export class DeactivateRealm {
  constructor(
    @Inject(DATABASE_TOKEN) private readonly database: Database,
    private readonly mails: OutgoingMailWriter,
    private readonly events: ChatEventWriter,
    private readonly revocation: AccessRevocation,
    private readonly sites: RealmByHostCache,
  ) {}

  /**
   * @param deletionDelayDays days until the data of the organization is deleted; null for never
   * @throws ApplicationError BAD_REQUEST, UNAUTHORIZED_PRINCIPAL, REALM_DEACTIVATED
   */
  async run(actor: ChatActor, deletionDelayDays: number | null): Promise<void> {
    const userIds = await this.database.inTransaction(async (tx) => {
      await lockRealmMembership(tx, actor.realmId, 'exclusive');
      const rights = await loadActorRights(tx, actor);
      rejectGuests(rights);
      requireOwner(rights);
      if (deletionDelayDays !== null && deletionDelayDays < minRealmDeletionDays) {
        throw createBadRequestError(`Data deletion time must be at least ${minRealmDeletionDays} days in the future.`);
      }
      await lockRealm(tx, actor.realmId);
      return this.#deactivate(tx, actor, deletionDelayDays);
    });
    await this.sites.invalidate();
    await this.revocation.endRealmAccess(actor.realm, userIds);
  }

  /**
   * Marks the realm as deactivated, deletes the sessions of its users, and emits events. Returns the ids of the realm's
   * active users.
   */
  async #deactivate(tx: Tx, actor: ChatActor, delayDays: number | null): Promise<number[]> {
    const { realmId } = actor;
    const { rows: realms } = await tx.query<{ name: string }>(
      `UPDATE realms SET deactivated = true, deletion_due_at = now() + make_interval(days => $2::int)
       WHERE id = $1 AND NOT deactivated RETURNING name`,
      [realmId, delayDays],
    );
    const [realm] = realms;
    // Another owner has deactivated the realm while this request waited for the lock of the realm.
    if (realm === undefined) throw chatErrors.create('REALM_DEACTIVATED');
    const { rows: users } = await tx.query<{ id: number; email: string; is_owner: boolean }>(
      `SELECT id, delivery_email AS email, role = ${userRoleNumbers.owner} AND bot_type IS NULL AS is_owner
       FROM users WHERE realm_id = $1 AND is_active ORDER BY id`,
      [realmId],
    );
    const userIds = users.map(({ id }) => id);
    await tx.query('DELETE FROM sessions WHERE user_id = ANY($1)', [userIds]);
    chatAudit.add(tx, 'realm_deactivated', { id: realmId, deletionDelayDays: delayDays });
    const payload = { realm_id: realmId };
    // Pending polls end with this event. The queues are removed only after the commit, so that no poll ends without it.
    this.events.write(tx, realmId, realmDeactivatedEvent, { audience: { all: true }, payload });
    for (const { email } of users.filter((user) => user.is_owner)) {
      this.mails.enqueueMail(tx, {
        to: email,
        subject: `${realm.name} was deactivated`,
        text: `${actor.deliveryEmail} has deactivated the organization ${realm.name}.\n\n${formatDeletionNotice(delayDays)}\n`,
      });
    }
    return userIds;
  }
}

function formatDeletionNotice(delayDays: number | null): string {
  if (delayDays === null) return 'Its data is kept. The operator of the server can reactivate it.';
  return `Its data is deleted in ${delayDays} days. Until then, the operator of the server can reactivate it.`;
}
