import { isSpectator } from '../access/spectator-actor.js';
import { listUsersHiddenFromViewer } from '../access/user-visibility.js';
import type { SnapshotContext } from '../../events/snapshot-context.js';

/**
 * Returns the ids of the accounts that the actor may not see. Reads the accounts only once per POST /register request,
 * and executes an SQL statement only for guests.
 */
export function getSnapshotHiddenUsers(context: SnapshotContext): Promise<ReadonlySet<number>> {
  return context.shared(readHiddenUsers);
}

/**
 * Reads the ids of the accounts that are hidden from the registering user. The list is empty for spectators, who see
 * all users but only few fields of them.
 */
async function readHiddenUsers({ tx, actor }: SnapshotContext): Promise<ReadonlySet<number>> {
  return isSpectator(actor) ? new Set() : listUsersHiddenFromViewer(tx, actor);
}
