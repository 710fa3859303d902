import type { Tx } from '@switchboard/database';
import type { ChatActor } from '../../infra/http/actor.js';
import { type ActorRights, getRights } from '../../core/access/actor-rights.js';
import { getRealm, type RealmSettings } from '../../core/realms/index.js';

/** The editor, with the rights and limits of the edit. */
export interface Editor {
  readonly tx: Tx;
  readonly actor: ChatActor;
  readonly rights: ActorRights;
  readonly settings: RealmSettings;
  /** Current time, in milliseconds since the epoch. */
  readonly nowMs: number;
}

/** @throws AppError USER_DEACTIVATED */
export async function getEditor(tx: Tx, actor: ChatActor, nowMs: number): Promise<Editor> {
  const rights = await getRights(tx, actor);
  const { settings } = await getRealm(tx, actor.realmId);
  return { tx, actor, rights, settings, nowMs };
}

/** Grace period after the edit time limit, for edits that were started in time. */
const graceMs = 20_000;

/**
 * Returns the time before which messages are too old to be edited, in milliseconds since the epoch. Without a limit it
 * is minus infinity. @param limit In seconds.
 */
export function oldestChangeable({ nowMs }: Pick<Editor, 'nowMs'>, limit: number | null): number {
  return limit === null ? Number.NEGATIVE_INFINITY : nowMs - limit * 1000 - graceMs;
}
