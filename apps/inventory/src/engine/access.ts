import type { Actor } from '@switchboard/auth';
import type { ModelDefinition } from './declaration/model.js';
import type { Sql } from './sql/pieces.js';
import type { Parameters } from './sql/statement.js';

/** Action on objects of a model; single endpoints ask for those after `delete`. */
export type Action =
  | 'view'
  | 'add'
  | 'change'
  | 'delete'
  | 'grant'
  | 'render'
  | 'render_config'
  | 'requeue'
  | 'run'
  | 'sync';

/** A set of conditions that an object must meet, all of them; see `attributeConditions`. */
export type Constraint = Readonly<Record<string, unknown>>;

/** Permission of a user, assigned directly or through a group (docs/contract/inventory.md 1.3). */
export interface ObjectPermission {
  /** `<app>.<model>` */
  readonly objectTypes: readonly string[];
  readonly actions: readonly string[];
  /** One constraint, or alternatives of which one must be met; null for none. */
  readonly constraints: Constraint | readonly Constraint[] | null;
}

/** The user who sends a request, with the token. */
export interface InventoryActor extends Actor {
  readonly username: string;
  readonly isSuperuser: boolean;
  /** True if the credentials allow changes. */
  readonly mayWrite: boolean;
  /** Enabled permissions; empty for superusers. */
  readonly permissions: readonly ObjectPermission[];
}

/** A permission to act on rows of a model. Rows outside it do not exist for the user. */
export interface Grant {
  /** The condition on a row; null for every row. */
  readonly where: ((alias: string, parameters: Parameters) => Sql) | null;
}

/** Decides permissions for the engine, which calls it before reading and writing. */
export interface AccessPolicy {
  /** The grant, or null when the user may not do this to any object. */
  grant(actor: InventoryActor, model: ModelDefinition, action: Action): Grant | null;
}

/** Type of the object that an actor is. */
const accountType = 'users.user';

/** SQL: whether the actor may view a row of a model. Every actor knows the account that they are. */
export function viewCondition(
  policy: AccessPolicy,
  actor: InventoryActor,
  model: ModelDefinition,
  { alias, parameters }: { readonly alias: string; readonly parameters: Parameters },
): Sql {
  const grant = policy.grant(actor, model, 'view');
  if (grant !== null && grant.where === null) return 'true';
  const granted = grant?.where?.(alias, parameters) ?? 'false';
  return model.type === accountType ? `(${granted} OR ${alias}.id = ${parameters.add(actor.id, 'bigint')})` : granted;
}

/**
 * Replaces `$user` in a constraint by the id of the requesting user, alone or inside a list
 * (docs/contract/inventory.md 1.3).
 */
export function forUser(constraint: Constraint, userId: number): Constraint {
  const replaced = (value: unknown): unknown => (value === '$user' ? userId : value);
  return Object.fromEntries(
    Object.entries(constraint).map(([path, value]) => [
      path,
      Array.isArray(value) ? value.map(replaced) : replaced(value),
    ]),
  );
}
