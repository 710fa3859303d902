import type { Tx } from '@switchboard/database';
import { normalizeTextForComparison } from '../../infra/normalized-text-key.js';
import { type ChatActor, isGuest } from '../../infra/http/chat-actor.js';
import type { AvatarOwner } from './avatar-url.js';
import { canViewerSeeEmail } from './email-visibility.js';
import { isHiddenFromGuestSql } from './user-visibility.js';

/**
 * Reference to an account in a request: the account's id, an email address that the client can see, or the placeholder
 * of a hidden address.
 */
export type UserReference = number | string;

/** An account to which a request refers by id or email address. */
export interface UserFoundByReference extends AvatarOwner {
  readonly fullName: string;
  readonly isActive: boolean;
  /** True if the user who sends the request is a guest who cannot see this account. */
  readonly isHidden: boolean;
}

export interface FindUsersOptions {
  /**
   * True to lock the accounts' rows until the end of the transaction, so that callers can write data that depends on
   * these rows.
   */
  readonly lock: boolean;
  /**
   * True to also return accounts that the actor may not see. Some endpoints return a separate error for hidden
   * accounts.
   */
  readonly includeHidden?: boolean;
}

interface UserFoundByReferenceRow {
  id: number;
  delivery_email: string;
  email_address_visibility: number;
  is_bot: boolean;
  full_name: string;
  avatar_source: string;
  avatar_version: number;
  is_active: boolean;
  is_hidden: boolean;
}

/**
 * Finds the accounts to which a request refers, by reference. References to accounts that the actor cannot see are
 * absent. A hidden email address is treated like an unknown address, so that a request does not reveal the address's
 * owner (chat-4.6-1). An account that is hidden from a guest is treated like an unknown account (docs/contract/chat.md
 * 6.1).
 */
export async function findUsers(
  tx: Tx,
  actor: ChatActor,
  references: readonly UserReference[],
  options: FindUsersOptions,
): Promise<Map<UserReference, UserFoundByReference>> {
  if (references.length === 0) return new Map();
  const ids = references.map((reference) => parseUserIdOfReference(reference, actor));
  const addresses = references
    .filter((reference) => typeof reference === 'string')
    .map((address) => normalizeTextForComparison(address));
  const { rows } = await tx.query<UserFoundByReferenceRow>(
    `SELECT id, delivery_email, email_address_visibility, bot_type IS NOT NULL AS is_bot, full_name,
       avatar_source, avatar_version, is_active, ${isGuest(actor) ? isHiddenFromGuestSql('$4') : 'false'} AS is_hidden
     FROM users u WHERE realm_id = $1 AND (id = ANY($2::bigint[]) OR delivery_email_key = ANY($3))
     ORDER BY id ${options.lock ? 'FOR SHARE' : ''}`,
    [actor.realmId, ids.filter((id) => id !== undefined), addresses, ...(isGuest(actor) ? [actor.id] : [])],
  );
  const users = rows.map(toUserFoundByReference).filter(({ isHidden }) => options.includeHidden === true || !isHidden);
  const byId = new Map(users.map((user) => [user.id, user]));
  const byAddress = new Map(
    users
      .filter((user) => canViewerSeeEmail(actor, user))
      .map((user) => [normalizeTextForComparison(user.deliveryEmail), user]),
  );
  const found = new Map<UserReference, UserFoundByReference>();
  for (const [index, reference] of references.entries()) {
    // A user's real address may look like the placeholder of a hidden one.
    const addressed = typeof reference === 'string' ? byAddress.get(normalizeTextForComparison(reference)) : undefined;
    const user = addressed ?? byId.get(ids[index] ?? 0);
    if (user !== undefined) found.set(reference, user);
  }
  return found;
}

/**
 * Returns the user id that an account reference contains; undefined for other references. A placeholder address such as
 * `user9@…` contains the id, if its domain is the realm's placeholder domain or the host of the request.
 */
function parseUserIdOfReference(reference: UserReference, actor: ChatActor): number | undefined {
  if (typeof reference === 'number') return Number.isSafeInteger(reference) ? reference : undefined;
  const [, id, domain = ''] = /^user(\d{1,9})@(.+?)(?::\d{1,5})?$/i.exec(reference) ?? [];
  const domains = [actor.fakeEmailDomain, actor.host].map((name) => name?.toLowerCase());
  return id !== undefined && domains.includes(domain.toLowerCase()) ? Number(id) : undefined;
}

function toUserFoundByReference(row: UserFoundByReferenceRow): UserFoundByReference {
  return {
    id: row.id,
    deliveryEmail: row.delivery_email,
    emailVisibility: row.email_address_visibility,
    isBot: row.is_bot,
    fullName: row.full_name,
    avatarSource: row.avatar_source,
    avatarVersion: row.avatar_version,
    isActive: row.is_active,
    isHidden: row.is_hidden,
  };
}
