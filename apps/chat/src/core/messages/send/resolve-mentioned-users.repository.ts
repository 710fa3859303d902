import type { Tx } from '@switchboard/database';
import type { ChatActor } from '../../../infra/http/chat-actor.js';
import { listUsersHiddenFromViewer } from '../../access/user-visibility.js';
import { createBadRequestError } from '../../../errors.js';
import type {
  UnresolvedReference,
  MentionReference,
  ResolvedMessageReferences,
} from '../../../infra/markdown/index.js';

/** Author of a message. An author can mention only users and groups that the author can see. */
export type MessageAuthor = Pick<ChatActor, 'id' | 'realmId' | 'role'>;

interface MentionedUserRow {
  id: number;
  full_name: string;
  is_active: boolean;
}

interface MentionedUserGroupRow {
  id: number;
  name: string;
  may_mention: boolean;
}

/**
 * Looks up the users that a message mentions, including deactivated users. A name that several users share is found
 * only together with a user id. Users whom a guest cannot see are not found.
 */
export async function resolveMentionedUsers(
  tx: Tx,
  author: MessageAuthor,
  candidates: readonly UnresolvedReference[],
): Promise<Pick<ResolvedMessageReferences, 'users'>> {
  const mentions = candidates.filter((candidate): candidate is MentionReference => candidate.kind === 'user');
  const users = new Map<string, { id: number; fullName: string; isActive: boolean }>();
  if (mentions.length === 0) return { users };
  const hidden = await listUsersHiddenFromViewer(tx, author);
  const { rows } = await tx.query<MentionedUserRow>(
    `SELECT id, full_name, is_active FROM users
     WHERE realm_id = $1 AND (full_name = ANY($2) OR id = ANY($3)) AND id <> ALL($4) ORDER BY is_active`,
    [
      author.realmId,
      removeDuplicates(mentions.filter(({ userId }) => userId === undefined).map(({ name }) => name)),
      removeDuplicates(mentions.map(({ userId }) => userId).filter((id) => id !== undefined)),
      [...hidden],
    ],
  );
  const active = new Map<string, number>();
  for (const row of rows) active.set(row.full_name, (active.get(row.full_name) ?? 0) + (row.is_active ? 1 : 0));
  const namesakes = new Set<string>();
  for (const row of rows) {
    const user = { id: row.id, fullName: row.full_name, isActive: row.is_active };
    users.set(`|${row.id}`, user);
    // A name that an active user has does not refer to a deactivated user.
    if (!row.is_active && (active.get(row.full_name) ?? 0) > 0) continue;
    if (users.has(row.full_name)) namesakes.add(row.full_name);
    users.set(row.full_name, user);
  }
  for (const name of namesakes) users.delete(name);
  return { users };
}

/**
 * Looks up the user groups that a message mentions.
 *
 * @throws ApplicationError BAD_REQUEST if the author may not mention a group
 */
export async function resolveMentionedGroups(
  tx: Tx,
  author: MessageAuthor,
  candidates: readonly UnresolvedReference[],
): Promise<Pick<ResolvedMessageReferences, 'groups'>> {
  const mentions = candidates.filter((candidate): candidate is MentionReference => candidate.kind === 'group');
  const groups = new Map<string, { id: number; name: string }>();
  if (mentions.length === 0) return { groups };
  const { rows } = await tx.query<MentionedUserGroupRow>(
    `SELECT id, name, can_mention_group_id = ANY(user_group_ids($1)) AS may_mention
     FROM user_groups WHERE realm_id = $2 AND name = ANY($3) AND NOT deactivated`,
    [author.id, author.realmId, removeDuplicates(mentions.map(({ name }) => name))],
  );
  const loud = new Set(mentions.filter(({ silent }) => !silent).map(({ name }) => name));
  for (const row of rows) {
    if (loud.has(row.name) && !row.may_mention) {
      throw createBadRequestError(`You are not allowed to mention user group '${row.name}'.`);
    }
    groups.set(row.name, { id: row.id, name: row.name });
  }
  return { groups };
}

/**
 * Determines whether emoticons in a message are replaced by emoji, according to the author's setting. Executes no SQL
 * statement for messages without emoticons.
 */
export async function shouldReplaceEmoticons(
  tx: Tx,
  author: MessageAuthor,
  candidates: readonly UnresolvedReference[],
): Promise<Pick<ResolvedMessageReferences, 'translatesEmoticons'>> {
  if (!candidates.some(({ kind }) => kind === 'emoticon')) return { translatesEmoticons: false };
  const { rows } = await tx.query<{ translates: boolean | null }>(
    `SELECT (settings->>'translate_emoticons')::boolean AS translates FROM users WHERE id = $1`,
    [author.id],
  );
  return { translatesEmoticons: rows[0]?.translates ?? false };
}

function removeDuplicates<T>(values: readonly T[]): T[] {
  return [...new Set(values)];
}
