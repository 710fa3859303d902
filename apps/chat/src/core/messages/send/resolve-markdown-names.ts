import type { Tx } from '@switchboard/database';
import { emptyResolvedNames, type ParsedMessage, type ResolvedNames } from '../../../infra/markdown/index.js';
import { resolveLinkedChannels } from './resolve-linked-channels.repository.js';
import { resolveLinkedUploads } from './linked-uploads.repository.js';
import {
  type MessageAuthor,
  resolveEmoticons,
  resolveMentionedGroups,
  resolveMentionedUsers,
} from './resolve-mentioned-users.repository.js';

/**
 * Looks up the users, groups and channels that a message names, if its author can see them. Executes one SQL statement
 * for each kind of name.
 *
 * @throws AppError BAD_REQUEST if the author may not mention a group
 */
export async function resolveMarkdownNames(
  tx: Tx,
  author: MessageAuthor,
  { candidates, uploadPaths }: Pick<ParsedMessage, 'candidates' | 'uploadPaths'>,
): Promise<ResolvedNames> {
  if (candidates.length === 0 && uploadPaths.length === 0) return emptyResolvedNames;
  return {
    ...emptyResolvedNames,
    ...(await resolveMentionedUsers(tx, author, candidates)),
    ...(await resolveMentionedGroups(tx, author, candidates)),
    ...(await resolveLinkedChannels(tx, author, candidates)),
    ...(await resolveEmoticons(tx, author, candidates)),
    ...(await resolveLinkedUploads(tx, author, uploadPaths)),
  };
}
