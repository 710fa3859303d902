import type { Database } from '@switchboard/database';
import type { ChatEventWriter } from '../../events/chat-events.js';
import { moveMembersBetweenMemberGroups } from './move-between-member-groups.js';
import { lockRealmMembership } from '../database-locks.js';

/**
 * Promotes members whose waiting period has ended to full members, and emits events about the changed groups
 * (docs/contract/chat.md 6.2). Locks only realms that have members to promote.
 */
export async function promoteMembersToFullMembers(database: Database, events: ChatEventWriter): Promise<void> {
  const { rows } = await database.query<{ id: number }>(
    `SELECT r.id FROM realms r
     WHERE EXISTS (
       SELECT 1 FROM user_groups g JOIN user_group_members m ON m.group_id = g.id JOIN users u ON u.id = m.user_id
       WHERE g.realm_id = r.id AND g.name = 'role:members'
         AND u.date_joined <= now() - make_interval(days => (r.settings ->> 'waiting_period_threshold')::int))
     ORDER BY r.id`,
  );
  for (const { id } of rows) {
    await database.inTransaction(async (tx) => {
      await lockRealmMembership(tx, id, 'exclusive');
      await moveMembersBetweenMemberGroups(tx, events, id, null);
    });
  }
}
