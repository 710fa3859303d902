import type { Tx } from '@switchboard/database';
import { textKey } from '../../infra/text-key.js';
import { type ChatActor, isGuest } from '../../infra/http/actor.js';
import type { AvatarOwner } from './avatar.js';
import { seesEmail } from './email-visibility.js';
import { isHiddenFrom } from './user-visibility.js';

/**
 * Reference to an account by a client: by id, by an address that the client can see, or by the placeholder of a hidden
 * one.
 */
export type UserReference = number | string;

/** An account that was named. */
export interface FoundUser extends AvatarOwner {
  readonly fullName: string;
  readonly isActive: boolean;
  /** True if the actor is a guest who cannot see the account. */
  readonly isHidden: boolean;
}

/** Options of {@link findUsers}. */
export interface FindUsersOptions {
  /** Locks the rows until the end of the transaction, for what is written down from them. */
  readonly lock: boolean;
  /** Also returns accounts that the actor may not know of, for endpoints that refuse them with words of their own. */
  readonly includeHidden?: boolean;
}

interface UserRow {
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
 * The accounts that these references name, by reference; references to no account that the actor can see are absent. A
 * hidden address is like an unknown one, so that a request does not reveal its owner (chat-4.6-1), and so is an account
 * that is hidden from a guest (docs/contract/chat.md 6.1).
 */
export async function findUsers(
  tx: Tx,
  actor: ChatActor,
  references: readonly UserReference[],
  options: FindUsersOptions,
): Promise<Map<UserReference, FoundUser>> {
  if (references.length === 0) return new Map();
  const ids = references.map((reference) => referencedId(reference, actor));
  const addresses = references.filter((reference) => typeof reference === 'string').map((address) => textKey(address));
  const { rows } = await tx.query<UserRow>(
    `SELECT id, delivery_email, email_address_visibility, bot_type IS NOT NULL AS is_bot, full_name,
       avatar_source, avatar_version, is_active, ${isGuest(actor) ? isHiddenFrom('$4') : 'false'} AS is_hidden
     FROM users u WHERE realm_id = $1 AND (id = ANY($2::bigint[]) OR delivery_email_key = ANY($3))
     ORDER BY id ${options.lock ? 'FOR SHARE' : ''}`,
    [actor.realmId, ids.filter((id) => id !== undefined), addresses, ...(isGuest(actor) ? [actor.id] : [])],
  );
  const users = rows.map(userOf).filter(({ isHidden }) => options.includeHidden === true || !isHidden);
  const byId = new Map(users.map((user) => [user.id, user]));
  const byAddress = new Map(
    users.filter((user) => seesEmail(actor, user)).map((user) => [textKey(user.deliveryEmail), user]),
  );
  const found = new Map<UserReference, FoundUser>();
  for (const [index, reference] of references.entries()) {
    // Somebody's real address may look like one that stands for a hidden one.
    const addressed = typeof reference === 'string' ? byAddress.get(textKey(reference)) : undefined;
    const user = addressed ?? byId.get(ids[index] ?? 0);
    if (user !== undefined) found.set(reference, user);
  }
  return found;
}

/** The id itself, or that in `user9@…`: of our own domain, or of the host by which the client knows the realm. */
function referencedId(reference: UserReference, actor: ChatActor): number | undefined {
  if (typeof reference === 'number') return Number.isSafeInteger(reference) ? reference : undefined;
  const [, id, domain = ''] = /^user(\d{1,9})@(.+?)(?::\d{1,5})?$/i.exec(reference) ?? [];
  const domains = [actor.fakeEmailDomain, actor.host].map((name) => name?.toLowerCase());
  return id !== undefined && domains.includes(domain.toLowerCase()) ? Number(id) : undefined;
}

function userOf(row: UserRow): FoundUser {
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
