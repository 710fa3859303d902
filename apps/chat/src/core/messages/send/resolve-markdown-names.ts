import type { Tx } from '@switchboard/database';
import { emptyResolvedNames, type ParsedMessage, type ResolvedNames } from '../../../infra/markdown/index.js';
import { resolveChannels } from './resolve-linked-channels.repository.js';
import { resolveUploads } from './linked-uploads.repository.js';
import {
  type MessageAuthor,
  resolveEmoticons,
  resolveGroups,
  resolveUsers,
} from './resolve-mentioned-users.repository.js';

/**
 * Looks up the users, groups and channels that a message names, as far as its author can see them. Runs one statement
 * for each kind of name.
 *
 * @throws AppError BAD_REQUEST if the author may not mention a group
 */
export async function resolveNames(
  tx: Tx,
  author: MessageAuthor,
  { candidates, uploadPaths }: Pick<ParsedMessage, 'candidates' | 'uploadPaths'>,
): Promise<ResolvedNames> {
  if (candidates.length === 0 && uploadPaths.length === 0) return emptyResolvedNames;
  return {
    ...emptyResolvedNames,
    ...(await resolveUsers(tx, author, candidates)),
    ...(await resolveGroups(tx, author, candidates)),
    ...(await resolveChannels(tx, author, candidates)),
    ...(await resolveEmoticons(tx, author, candidates)),
    ...(await resolveUploads(tx, author, uploadPaths)),
  };
}
