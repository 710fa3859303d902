import { Inject, Injectable } from '@nestjs/common';
import type { Database } from '@switchboard/database';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { chatErrors } from '../../errors.js';
import { ChatEventWriter } from '../../events/chat-events.js';
import { chatAudit } from '../../infra/audit-trail.js';
import { DATABASE_TOKEN } from '../../tokens.js';
import { lockUserGroupForChange, requireGroupPermission } from './lock-group-for-change.js';
import { listUserGroupUsages } from './groups.repository.js';
import { readWireUserGroup } from './read-wire-group.js';
import { userGroupDeactivationEvent } from './user-groups.events.js';
import { lockRealmMembership } from '../database-locks.js';

/** Deactivates a user group if no permission and no other group refers to it (docs/contract/chat.md 2.F). */
@Injectable()
export class DeactivateUserGroup {
  constructor(
    @Inject(DATABASE_TOKEN) private readonly database: Database,
    private readonly events: ChatEventWriter,
  ) {}

  /**
   * Deactivates the group with the given id.
   *
   * @throws ApplicationError BAD_REQUEST, CANNOT_DEACTIVATE_GROUP_IN_USE
   */
  async run(actor: ChatActor, groupId: number): Promise<void> {
    await this.database.inTransaction(async (tx) => {
      await lockRealmMembership(tx, actor.realmId, 'exclusive');
      // Transactions that assign the group to a setting lock its row, too. None can start while the uses are checked.
      const accessed = await lockUserGroupForChange(tx, actor, groupId);
      requireGroupPermission(accessed);
      const objections = await listUserGroupUsages(tx, actor.realmId, groupId);
      if (objections.length > 0) throw chatErrors.create('CANNOT_DEACTIVATE_GROUP_IN_USE', { fields: { objections } });
      await tx.query('UPDATE user_groups SET deactivated = true WHERE id = $1', [groupId]);
      chatAudit.add(tx, 'group_deactivated', { id: groupId });
      const payload = { group: await readWireUserGroup(tx, actor.realmId, groupId) };
      this.events.write(tx, actor.realmId, userGroupDeactivationEvent, { audience: { all: true }, payload });
    });
  }
}
