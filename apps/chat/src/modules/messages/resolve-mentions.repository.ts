import type { Tx } from '@switchboard/database';
import type { ChatActor } from '../../access/actor.js';
import { badRequest } from '../../errors.js';
import type { MentionCandidate, ResolvedNames } from '../../markdown/index.js';

interface UserRow {
  id: number;
  full_name: string;
}

interface GroupRow {
  id: number;
  name: string;
  may_mention: boolean;
}

/**
 * Looks up the people and groups that a message names; no statement where it names none.
 *
 * @throws AppError BAD_REQUEST when it calls upon a group that its sender may not mention.
 */
export async function resolveMentions(
  tx: Tx,
  actor: ChatActor,
  candidates: readonly MentionCandidate[],
): Promise<ResolvedNames> {
  const users = await findNamedUsers(tx, actor.realmId, candidates);
  const groups = await findNamedGroups(tx, actor, candidates);
  return { users, groups };
}

/** A name that several people bear names none of them: the client has to add the id. */
async function findNamedUsers(tx: Tx, realmId: number, candidates: readonly MentionCandidate[]) {
  const targets = candidates.map(({ target }) => target).filter((target) => target.kind === 'user');
  const found = new Map<string, { id: number; fullName: string }>();
  if (targets.length === 0) return found;
  const { rows } = await tx.query<UserRow>(
    `SELECT id, full_name FROM users WHERE realm_id = $1 AND is_active AND (full_name = ANY($2) OR id = ANY($3))`,
    [
      realmId,
      targets.filter((target) => target.userId === undefined).map((target) => target.name),
      targets.map((target) => target.userId).filter((id) => id !== undefined),
    ],
  );
  for (const row of rows) {
    found.set(`|${row.id}`, { id: row.id, fullName: row.full_name });
    const isOnly = rows.every((other) => other === row || other.full_name !== row.full_name);
    if (isOnly) found.set(row.full_name, { id: row.id, fullName: row.full_name });
  }
  return found;
}

async function findNamedGroups(tx: Tx, actor: ChatActor, candidates: readonly MentionCandidate[]) {
  const named = candidates.filter(({ target }) => target.kind === 'group');
  const found = new Map<string, { id: number; name: string }>();
  if (named.length === 0) return found;
  const { rows } = await tx.query<GroupRow>(
    `SELECT id, name, can_mention_group_id = ANY(user_group_ids($1)) AS may_mention
     FROM user_groups WHERE realm_id = $2 AND name = ANY($3) AND NOT deactivated`,
    [actor.id, actor.realmId, named.map(({ target }) => target.name)],
  );
  const loud = new Set(named.filter(({ silent }) => !silent).map(({ target }) => target.name));
  for (const row of rows) {
    if (loud.has(row.name) && !row.may_mention) {
      throw badRequest(`You are not allowed to mention user group '${row.name}'.`);
    }
    found.set(row.name, { id: row.id, name: row.name });
  }
  return found;
}
