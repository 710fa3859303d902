import type { AuthenticatedAccount } from '@switchboard/auth';

/**
 * Conditions of an object permission: an expected value for each attribute path. An object must meet all conditions;
 * see `createAttributeConditionsSql`.
 */
export type PermissionConstraint = Readonly<Record<string, unknown>>;

/**
 * Permission of a user on objects. The permission is assigned to the user directly or through a group
 * (docs/contract/inventory.md 1.3).
 */
export interface ObjectPermission {
  /** Models that the permission applies to, as `<app>.<model>`. */
  readonly objectTypes: readonly string[];
  readonly actions: readonly string[];
  /**
   * One constraint, or a list of alternative constraints of which an object must meet at least one. Null if the
   * permission applies to all objects.
   */
  readonly constraints: PermissionConstraint | readonly PermissionConstraint[] | null;
}

/** The authenticated user of a request. */
export interface InventoryActor extends AuthenticatedAccount {
  readonly username: string;
  readonly isSuperuser: boolean;
  /** True if the request's token or session allows writes. */
  readonly mayWrite: boolean;
  /** Enabled object permissions of the user; empty for superusers. */
  readonly permissions: readonly ObjectPermission[];
}
