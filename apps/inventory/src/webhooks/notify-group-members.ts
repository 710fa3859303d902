import type { QueueTx } from '@switchboard/queue';
import type { InventoryChange } from '../changes/inventory-change-message.js';
import { getEventType, type EventRule } from './event-rules.js';

/** A change, with the event rule because of which the members of a notification group are notified of the change. */
export interface GroupMemberNotification {
  readonly rule: EventRule;
  readonly change: InventoryChange;
}

// A user has one notification per object, so that the last notice counts. Rows are inserted in a fixed order, so that
// concurrent dispatchers cannot deadlock.
const INSERT_NOTIFICATIONS_SQL = `
  INSERT INTO extras_notification (object_type, object_id, user_id, event_type, object_repr)
  SELECT DISTINCT ON (n.object_type, n.object_id, m.user_id)
         n.object_type, n.object_id, m.user_id, n.event_type, left(n.repr, 200)
    FROM unnest($1::bigint[], $2::text[], $3::bigint[], $4::text[], $5::text[])
         WITH ORDINALITY AS n (group_id, object_type, object_id, event_type, repr, position)
    JOIN (SELECT u.notificationgroup_id, u.user_id FROM extras_notificationgroup_users u
           UNION ALL
          SELECT g.notificationgroup_id, b.user_id FROM extras_notificationgroup_groups g
            JOIN users_user_groups b ON b.group_id = g.group_id) m ON m.notificationgroup_id = n.group_id
   ORDER BY n.object_type, n.object_id, m.user_id, n.position DESC
  ON CONFLICT (object_type, object_id, user_id) DO UPDATE SET id = EXCLUDED.id, event_type = EXCLUDED.event_type,
    object_repr = EXCLUDED.object_repr, created = EXCLUDED.created, read = NULL`;

/**
 * Creates notifications for the members of notification groups. A user has one unread notification per object, which
 * replaces an older notification (docs/contract/inventory.md 5.7). Runs one SQL statement.
 */
export async function notifyGroupMembers(tx: QueueTx, notices: readonly GroupMemberNotification[]): Promise<void> {
  await tx.query(INSERT_NOTIFICATIONS_SQL, [
    notices.map(({ rule }) => rule.actionObjectId),
    notices.map(({ change }) => change.model),
    notices.map(({ change }) => change.id),
    notices.map(({ change }) => getEventType(change)),
    notices.map(({ change }) => String(change.data['display'] ?? '')),
  ]);
}
