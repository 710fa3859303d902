import type { SnapshotContext } from '../../events/snapshot-context.js';
import { listUsers } from './users.repository.js';
import type { UserRecord } from './wire-user.js';

/** Everybody where people or bots are fetched, else the actor alone; read once a registration. */
export function snapshotUsers(context: SnapshotContext): Promise<UserRecord[]> {
  return context.shared(readUsers);
}

function readUsers({ tx, actor, wants }: SnapshotContext): Promise<UserRecord[]> {
  const options = { customFields: wants('realm_user') };
  return listUsers(tx, actor.realmId, wants('realm_user', 'realm_bot') ? null : [actor.id], options);
}
