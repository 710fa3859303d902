import type { SnapshotContext } from '../../events/snapshot-context.js';
import { listUsers } from './users.repository.js';
import type { UserRecord } from './wire-user.js';

/**
 * Returns the registering user's own account; undefined for spectators. Reads the account only once per POST /register
 * request.
 */
export function getSnapshotOwnUser(context: SnapshotContext): Promise<UserRecord | undefined> {
  return context.shared(readOwnUser);
}

async function readOwnUser({ tx, actor, wants }: SnapshotContext): Promise<UserRecord | undefined> {
  const [own] = await listUsers(tx, actor.realmId, [actor.id], { customFields: wants('realm_user') });
  return own;
}
