import type { Tx } from '@switchboard/database';
import {
  emptyResolvedMessageReferences,
  type ParsedMessage,
  type ResolvedMessageReferences,
} from '../../../infra/markdown/index.js';
import { resolveLinkedChannels } from './resolve-linked-channels.repository.js';
import { resolveLinkedUploads } from './linked-uploads.repository.js';
import {
  type MessageAuthor,
  shouldReplaceEmoticons,
  resolveMentionedGroups,
  resolveMentionedUsers,
} from './resolve-mentioned-users.repository.js';

/**
 * Looks up the users, groups and channels that a message names, if its author can see them. Executes one SQL statement
 * for each kind of name.
 *
 * @throws ApplicationError BAD_REQUEST if the author may not mention a group
 */
export async function resolveMarkdownNames(
  tx: Tx,
  author: MessageAuthor,
  { candidates, uploadPaths }: Pick<ParsedMessage, 'candidates' | 'uploadPaths'>,
): Promise<ResolvedMessageReferences> {
  if (candidates.length === 0 && uploadPaths.length === 0) return emptyResolvedMessageReferences;
  return {
    ...emptyResolvedMessageReferences,
    ...(await resolveMentionedUsers(tx, author, candidates)),
    ...(await resolveMentionedGroups(tx, author, candidates)),
    ...(await resolveLinkedChannels(tx, author, candidates)),
    ...(await shouldReplaceEmoticons(tx, author, candidates)),
    ...(await resolveLinkedUploads(tx, author, uploadPaths)),
  };
}
