import type { SqlQueryRunner } from '../../infra/sql-reader.js';
import { createBadRequestError } from '../../errors.js';

const maxFullNameLength = 100;
/**
 * Pattern of the characters that a user's name may not contain: control characters, and characters that would make
 * mentions of the user ambiguous.
 */
const forbiddenUserNameCharactersPattern = /[*`\\>"@\p{Cc}]/u;

/**
 * Checks a user's full name, and returns the name without blanks at its ends. Lengths are in Unicode code points.
 *
 * @throws ApplicationError BAD_REQUEST with the texts of docs/contract/chat.md 1.6
 */
export function checkFullName(text: string): string {
  const name = text.trim();
  const length = [...name].length;
  if (length > maxFullNameLength) throw createBadRequestError('Name too long!');
  if (length < 2) throw createBadRequestError('Name too short!');
  // A mention that ends in |12 refers to the account with that id.
  if (forbiddenUserNameCharactersPattern.test(name) || /\|\d+$/.test(name))
    throw createBadRequestError('Invalid characters in name!');
  return name;
}

/**
 * Throws if another user has the given full name and the realm requires unique names. The caller must have locked the
 * realm membership, so that concurrent requests cannot use the same name.
 *
 * @throws ApplicationError BAD_REQUEST
 */
export async function checkUserNameIsUnique(
  tx: SqlQueryRunner,
  realmId: number,
  name: string,
  ownId: number,
): Promise<void> {
  const { rows } = await tx.query(
    `SELECT 1 FROM realms r JOIN users u ON u.realm_id = r.id
     WHERE r.id = $1 AND (r.settings ->> 'require_unique_names')::boolean AND lower(u.full_name) = lower($2)
       AND u.is_active AND u.id <> $3 LIMIT 1`,
    [realmId, name, ownId],
  );
  if (rows.length > 0) throw createBadRequestError('Unique names required in this organization.');
}
