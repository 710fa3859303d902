import {
  type ObjectAccessPolicy,
  type ObjectAction,
  type PermissionConstraint,
  replaceUserPlaceholder,
  type PermissionGrant,
  type InventoryActor,
  type ObjectPermission,
} from '../engine/object-access.js';
import type { ModelDefinition } from '../engine/declaration/define-model.js';
import type { ModelRegistry } from '../engine/declaration/model-registry.js';
import type { RequestLimits } from '../engine/request-limits.js';
import type { SqlText } from '../engine/sql/json-text-sql.js';
import type { SqlParameters } from '../engine/sql/parameterized-statement.js';
import { createAttributeConditionsSql } from '../engine/write/lookup-attribute-conditions.js';
import { InputProblem } from '../engine/write/invalid-input-problem.js';

const unrestrictedPermissionGrant: PermissionGrant = { where: null };

/**
 * Object types that `*` in EXEMPT_VIEW_PERMISSIONS does not include (docs/contract/inventory.md 1.2). Webhook
 * deliveries are excluded because a delivery contains an object of another type.
 */
const objectTypesWithoutViewExemption = new Set([
  'extras.webhookdelivery',
  'users.group',
  'users.objectpermission',
  'users.token',
  'users.user',
]);

/**
 * Permission that every user has: all actions on the user's own bookmarks, notifications, subscriptions and tokens
 * (docs/contract/inventory.md 1.3).
 */
const permissionOfEveryUser: ObjectPermission = {
  objectTypes: ['extras.bookmark', 'extras.notification', 'extras.subscription', 'users.token'],
  actions: ['view', 'add', 'change', 'delete'],
  constraints: { user: '$user' },
};

/**
 * Decides which objects users may access. Superusers may perform all actions, and all users may read exempt models.
 * Otherwise, users have the union of their object permissions. A permission without constraints applies to all objects.
 */
export class InventoryAccessPolicy implements ObjectAccessPolicy {
  /** @param exempt models (`<app>.<model>`) that may be viewed without permission; `*` for all but a few */
  constructor(
    private readonly registry: ModelRegistry,
    private readonly limits: RequestLimits,
    private readonly exempt: ReadonlySet<string> = new Set(),
  ) {}

  /**
   * Returns the condition on the rows of a model on which the user may perform an action. Returns null if the user may
   * perform the action on no row; see {@link ObjectAccessPolicy}.
   */
  getGrant(actor: InventoryActor, model: ModelDefinition, action: ObjectAction): PermissionGrant | null {
    if (action !== 'view' && !actor.mayWrite) return null;
    if (actor.isSuperuser) return unrestrictedPermissionGrant;
    const granted = this.#grantFromPermissions(actor, model, action);
    const { visible } = model;
    if (granted === null || visible === null || action === 'add') return granted;
    return {
      where: (alias, parameters) => {
        const own = visible(alias, parameters.add(actor.id, 'bigint'));
        return granted.where === null ? own : `(${own}) AND (${granted.where(alias, parameters)})`;
      },
    };
  }

  #grantFromPermissions(actor: InventoryActor, model: ModelDefinition, action: ObjectAction): PermissionGrant | null {
    if (action === 'view' && this.#isExempt(model.type)) return unrestrictedPermissionGrant;
    if (actor.kind !== 'user') return null;
    if (action === 'view' && model.openToUsers) return unrestrictedPermissionGrant;
    const given = [...actor.permissions, permissionOfEveryUser].filter(
      ({ objectTypes, actions }) => objectTypes.includes(model.type) && actions.includes(action),
    );
    if (given.length === 0) return null;
    const bounds = given.map(({ constraints }) => parseAlternativeConstraints(constraints));
    if (bounds.some((sets) => sets.length === 0)) return unrestrictedPermissionGrant;
    const sets = bounds.flat().map((constraint) => replaceUserPlaceholder(constraint, actor.id));
    return { where: (alias, parameters) => this.#constraintCondition(model, sets, alias, parameters) };
  }

  #constraintCondition(
    model: ModelDefinition,
    sets: readonly PermissionConstraint[],
    alias: string,
    parameters: SqlParameters,
  ): SqlText {
    const { registry, limits } = this;
    const each = sets.map((constraint) => {
      try {
        return createAttributeConditionsSql(model, constraint, { registry, parameters, alias, limits }).join(' AND ');
      } catch (error) {
        // Constraints written for another model, or before a field was renamed or a limit was lowered, grant nothing.
        if (error instanceof InputProblem) return 'false';
        throw error;
      }
    });
    return `(${each.map((one) => `(${one})`).join(' OR ')})`;
  }

  #isExempt(type: string): boolean {
    return this.exempt.has(type) || (this.exempt.has('*') && !objectTypesWithoutViewExemption.has(type));
  }
}

/**
 * Returns the alternative constraints of an object permission. An object must meet at least one constraint of the list.
 * The list is empty if the permission applies to all objects.
 */
function parseAlternativeConstraints(constraints: ObjectPermission['constraints']): readonly PermissionConstraint[] {
  const sets = isPermissionConstraintList(constraints) ? constraints : constraints === null ? [] : [constraints];
  return sets.some((set) => Object.keys(set).length === 0) ? [] : sets;
}

function isPermissionConstraintList(
  constraints: ObjectPermission['constraints'],
): constraints is readonly PermissionConstraint[] {
  return Array.isArray(constraints);
}
