import { Inject, Injectable } from '@nestjs/common';
import type { Database } from '@switchboard/database';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { chatErrors } from '../../errors.js';
import { ChatEvents } from '../../events/chat-events.js';
import { chatAudit } from '../../infra/audit-trail.js';
import { DATABASE } from '../../tokens.js';
import { lockGroupForChange, requireGroupPermission } from './lock-group-for-change.js';
import { listGroupUses } from './groups.repository.js';
import { readWireGroup } from './read-wire-group.js';
import { userGroupDeactivationEvent } from './user-groups.events.js';
import { lockRealmMembership } from '../database-locks.js';

/** Deactivates a user group if no permission and no other group refers to it (docs/contract/chat.md 2.F). */
@Injectable()
export class DeactivateGroup {
  constructor(
    @Inject(DATABASE) private readonly database: Database,
    private readonly events: ChatEvents,
  ) {}

  /**
   * Deactivates the group with the given id.
   *
   * @throws AppError BAD_REQUEST, CANNOT_DEACTIVATE_GROUP_IN_USE
   */
  async run(actor: ChatActor, groupId: number): Promise<void> {
    await this.database.inTransaction(async (tx) => {
      await lockRealmMembership(tx, actor.realmId, 'exclusive');
      // Transactions that assign the group to a setting lock its row, too. None can start while the uses are checked.
      const accessed = await lockGroupForChange(tx, actor, groupId);
      requireGroupPermission(accessed);
      const objections = await listGroupUses(tx, actor.realmId, groupId);
      if (objections.length > 0) throw chatErrors.create('CANNOT_DEACTIVATE_GROUP_IN_USE', { fields: { objections } });
      await tx.query('UPDATE user_groups SET deactivated = true WHERE id = $1', [groupId]);
      chatAudit.add(tx, 'group_deactivated', { id: groupId });
      const payload = { group: await readWireGroup(tx, actor.realmId, groupId) };
      this.events.write(tx, actor.realmId, userGroupDeactivationEvent, { audience: { all: true }, payload });
    });
  }
}
