import { chatErrors } from '../../errors.js';
import { type ChatActor, isOwnerOrAdministrator, isGuest, userRoleNumbers } from '../../infra/http/chat-actor.js';
import {
  type PermissionSetting,
  realmPermissions as realmPermissionSettings,
  type RealmPermission,
} from './permission-settings.js';
import type { SqlQueryRunner } from '../../infra/sql-reader.js';

/** Rights that only the operator of the server can grant to an account (docs/contract/chat.md 6.1). */
export interface OperatorGrantedRights {
  readonly canCreateUsers: boolean;
  readonly canChangeUserEmails: boolean;
  readonly canForgeSender: boolean;
}

/** Database row with the columns that {@link actorRightsColumns} selects. */
export interface ActorRightsRow {
  role: number;
  is_active: boolean;
  can_create_users: boolean;
  can_change_user_emails: boolean;
  can_forge_sender: boolean;
  group_ids: number[];
  realm_permissions: Record<string, number> | null;
}

/** SQL columns from which an actor's rights are computed. Suits any statement that selects from `users u`. */
export const actorRightsColumns = `
  u.role, u.is_active, u.can_create_users, u.can_change_user_emails, u.can_forge_sender,
  user_group_ids(u.id) AS group_ids,
  (SELECT json_object_agg(p.setting, p.group_id) FROM realm_permissions p WHERE p.realm_id = u.realm_id)
    AS realm_permissions`;

/**
 * Returns the SQL condition that a user is in a group, directly or through subgroups. `column` contains the group id.
 * Suits statements that check many rows, because the statement reads the user's groups only once.
 *
 * @param user A parameter or expression of the user's id, for example `$2`.
 */
export function isGroupMemberSql(user: string, column: string): string {
  return `${column} = ANY((SELECT user_group_ids(${user}))::int[])`;
}

/**
 * Role and group memberships of the user who sends a request (the actor). One SQL statement loads them, and later
 * checks need no query.
 */
export class ActorRights {
  /** Role of the actor in the database. The role in the request's credentials may be some seconds older. */
  readonly role: number;
  readonly grants: OperatorGrantedRights;
  readonly #groupIds: ReadonlySet<number>;
  readonly #permissions: Readonly<Record<string, number>>;

  constructor(row: ActorRightsRow) {
    this.role = row.role;
    this.grants = {
      canCreateUsers: row.can_create_users,
      canChangeUserEmails: row.can_change_user_emails,
      canForgeSender: row.can_forge_sender,
    };
    this.#groupIds = new Set(row.group_ids);
    this.#permissions = row.realm_permissions ?? {};
  }

  get isOwner(): boolean {
    return this.role === userRoleNumbers.owner;
  }

  get isAdmin(): boolean {
    return isOwnerOrAdministrator(this);
  }

  get isGuest(): boolean {
    return isGuest(this);
  }

  /** Returns true if the actor is in the user group, directly or through its subgroups. */
  isGroupMember(groupId: number): boolean {
    return this.#groupIds.has(groupId);
  }

  /** Returns true if the actor has a permission of the realm (docs/contract/chat.md 6.3). */
  hasRealmPermission(permission: RealmPermission): boolean {
    const groupId = this.#permissions[permission];
    return groupId !== undefined && this.hasPermission(groupId, realmPermissionSettings[permission]);
  }

  /**
   * Returns true if the actor is a member of the user group to which a permission is granted. Guests never have a
   * permission that excludes guests.
   *
   * @param setting An entry of `channelPermissionSettings`, `userGroupPermissionSettings` or `realmPermissions`.
   */
  hasPermission(groupId: number, setting: PermissionSetting): boolean {
    if (this.isGuest && setting.allowsEveryone === false) return false;
    return this.isGroupMember(groupId);
  }
}

/**
 * Loads the rights of the user who sends the request, in one SQL statement.
 * @throws ApplicationError USER_DEACTIVATED when the account was deactivated after its credentials were checked.
 */
export async function loadActorRights(tx: SqlQueryRunner, actor: Pick<ChatActor, 'id'>): Promise<ActorRights> {
  const { rows } = await tx.query<ActorRightsRow>(`SELECT ${actorRightsColumns} FROM users u WHERE u.id = $1`, [
    actor.id,
  ]);
  const [row] = rows;
  if (row === undefined || !row.is_active) throw chatErrors.create('USER_DEACTIVATED');
  return new ActorRights(row);
}

/**
 * Throws if the acting user is neither an owner nor an administrator of the organization.
 *
 * @throws ApplicationError UNAUTHORIZED_PRINCIPAL unless the actor is an owner or administrator (chat-5-2)
 */
export function requireAdmin(rights: ActorRights): void {
  if (!rights.isAdmin) throw chatErrors.create('UNAUTHORIZED_PRINCIPAL');
}

/**
 * Throws if the acting user is not an owner of the organization.
 *
 * @throws ApplicationError UNAUTHORIZED_PRINCIPAL unless the actor is an owner
 */
export function requireOwner(rights: ActorRights): void {
  if (!rights.isOwner) {
    throw chatErrors.create('UNAUTHORIZED_PRINCIPAL', { message: 'Must be an organization owner' });
  }
}

/**
 * Throws if the acting user is a guest.
 *
 * @throws ApplicationError BAD_REQUEST `Not allowed for guest users`
 */
export function rejectGuests(rights: { readonly role: number }): void {
  if (isGuest(rights)) throw chatErrors.create('BAD_REQUEST', { message: 'Not allowed for guest users' });
}

/**
 * Throws if a bot calls an endpoint that only human users may call (docs/contract/chat.md 2, `hum`).
 * @throws ApplicationError BAD_REQUEST
 */
export function rejectBots(actor: Pick<ChatActor, 'kind'>): void {
  if (actor.kind !== 'bot') return;
  throw chatErrors.create('BAD_REQUEST', { message: 'This endpoint does not accept bot requests.' });
}

/**
 * Throws if the acting user does not have the given permission of the realm.
 *
 * @throws ApplicationError BAD_REQUEST `Insufficient permission` unless the actor has the permission of the realm
 */
export function requireActorRealmPermission(rights: ActorRights, permission: RealmPermission): void {
  if (!rights.hasRealmPermission(permission)) throw createInsufficientPermissionError();
}

/** Returns an error for a user who is not in the user group that has a permission (docs/contract/chat.md 1.5). */
export function createInsufficientPermissionError(): Error {
  return chatErrors.create('BAD_REQUEST', { message: 'Insufficient permission' });
}
