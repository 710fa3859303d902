import { inventoryErrors } from '../errors.js';
import type { PermissionConstraint, InventoryActor } from './inventory-actor.js';
import type { ModelDefinition } from './declaration/model-declaration-types.js';
import type { SqlText } from './sql/json-text-sql.js';
import type { SqlParameters } from './sql/parameterized-statement.js';

export type { PermissionConstraint, InventoryActor, ObjectPermission } from './inventory-actor.js';

/**
 * Action of a user on objects of a model. Each action listed after `delete` is required by only one endpoint of the
 * API.
 */
export type ObjectAction =
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

/** A permission to act on rows of a model. Rows that the permission does not include are treated as nonexistent. */
export interface PermissionGrant {
  /** SQL condition that a row must meet; null if the user may act on every row. */
  readonly where: ((alias: string, parameters: SqlParameters) => SqlText) | null;
}

/** Decides which rows a user may read and write. The engine consults the policy before each read and write. */
export interface ObjectAccessPolicy {
  /**
   * Returns the rows of the model on which the user may perform the action. Returns null if the user may perform the
   * action on no object of the model.
   */
  getGrant(actor: InventoryActor, model: ModelDefinition, action: ObjectAction): PermissionGrant | null;
}

/**
 * Returns the rows on which the user may perform an action.
 *
 * @throws ApplicationError PERMISSION_DENIED if there are no such rows, or NOT_AUTHENTICATED for anonymous users
 */
export function requirePermissionGrant(
  policy: ObjectAccessPolicy,
  actor: InventoryActor,
  model: ModelDefinition,
  action: ObjectAction,
): PermissionGrant {
  const grant = policy.getGrant(actor, model, action);
  if (grant === null)
    throw inventoryErrors.create(actor.kind === 'anonymous' ? 'NOT_AUTHENTICATED' : 'PERMISSION_DENIED');
  return grant;
}

/** Name of the model of user accounts. */
const userModelType = 'users.user';

/** Returns the SQL condition that a user may view a row of a model. Users may always view their own account. */
export function createViewCondition(
  policy: ObjectAccessPolicy,
  actor: InventoryActor,
  model: ModelDefinition,
  { alias, parameters }: { readonly alias: string; readonly parameters: SqlParameters },
): SqlText {
  const grant = policy.getGrant(actor, model, 'view');
  if (grant !== null && grant.where === null) return 'true';
  const granted = grant?.where ? `(${grant.where(alias, parameters)})` : 'false';
  return model.type === userModelType ? `(${granted} OR ${alias}.id = ${parameters.add(actor.id, 'bigint')})` : granted;
}

/**
 * Returns a copy of a permission constraint. In the copy, each value `$user`, alone or as an item of a list, is the id
 * of the requesting user (docs/contract/inventory.md 1.3).
 */
export function replaceUserPlaceholder(constraint: PermissionConstraint, userId: number): PermissionConstraint {
  const replaced = (value: unknown): unknown => (value === '$user' ? userId : value);
  return Object.fromEntries(
    Object.entries(constraint).map(([path, value]) => [
      path,
      Array.isArray(value) ? value.map(replaced) : replaced(value),
    ]),
  );
}
