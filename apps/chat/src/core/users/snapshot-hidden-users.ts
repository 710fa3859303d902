import { isSpectator } from '../access/spectator.js';
import { listHiddenUsers } from '../access/user-visibility.js';
import type { SnapshotContext } from '../../events/snapshot-context.js';

/** The accounts that the actor may not know of, read once a registration. Only guests cost a statement. */
export function snapshotHiddenUsers(context: SnapshotContext): Promise<ReadonlySet<number>> {
  return context.shared(readHiddenUsers);
}

/** Spectators see all users, with few fields of each. */
async function readHiddenUsers({ tx, actor }: SnapshotContext): Promise<ReadonlySet<number>> {
  return isSpectator(actor) ? new Set() : listHiddenUsers(tx, actor);
}
