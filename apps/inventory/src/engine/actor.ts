import type { Actor } from '@switchboard/auth';

/** Conditions that an object must all meet, by attribute path; see `attributeConditions`. */
export type Constraint = Readonly<Record<string, unknown>>;

/** Permission of a user, assigned directly or through a group (docs/contract/inventory.md 1.3). */
export interface ObjectPermission {
  /** Models of the objects, as `<app>.<model>`. */
  readonly objectTypes: readonly string[];
  readonly actions: readonly string[];
  /** One constraint, or alternatives of which an object must meet one; null for no restriction. */
  readonly constraints: Constraint | readonly Constraint[] | null;
}

/** The authenticated user of a request. */
export interface InventoryActor extends Actor {
  readonly username: string;
  readonly isSuperuser: boolean;
  /** True if the credentials allow writes. */
  readonly mayWrite: boolean;
  /** Enabled permissions; empty for superusers. */
  readonly permissions: readonly ObjectPermission[];
}
