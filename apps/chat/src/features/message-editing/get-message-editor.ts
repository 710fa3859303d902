import type { Tx } from '@switchboard/database';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { type ActorRights, loadActorRights } from '../../core/access/actor-rights.js';
import { getRealmRow, type RealmSettings } from '../../core/realms/index.js';

/** The user who edits a message, with the user's permissions and the time limits for edits. */
export interface MessageEditingUser {
  readonly tx: Tx;
  readonly actor: ChatActor;
  readonly rights: ActorRights;
  readonly settings: RealmSettings;
  /** Time of the edit by this user, in milliseconds since the epoch. */
  readonly nowMs: number;
}

/**
 * Loads the permissions and time limits of a user who edits a message.
 *
 * @throws ApplicationError USER_DEACTIVATED
 */
export async function getMessageEditingUser(tx: Tx, actor: ChatActor, nowMs: number): Promise<MessageEditingUser> {
  const rights = await loadActorRights(tx, actor);
  const { settings } = await getRealmRow(tx, actor.realmId);
  return { tx, actor, rights, settings, nowMs };
}

/**
 * Time in milliseconds after the edit time limit in which the service still accepts edits, because the user may have
 * started them in time.
 */
const editTimeLimitToleranceMs = 20_000;

/**
 * Returns the earliest sending time, in milliseconds since the epoch, of messages that can still be edited. Returns
 * minus infinity if there is no time limit.
 *
 * @param limit Edit time limit in seconds.
 */
export function getOldestEditableMessageTime(
  { nowMs }: Pick<MessageEditingUser, 'nowMs'>,
  limit: number | null,
): number {
  return limit === null ? Number.NEGATIVE_INFINITY : nowMs - limit * 1000 - editTimeLimitToleranceMs;
}
