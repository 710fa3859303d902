import type { AccessPolicy, Action, Grant, InventoryActor } from '../engine/access.js';
import type { ModelDefinition } from '../engine/declaration/model.js';

const everything: Grant = { where: null };

/** Types whose rows `*` in EXEMPT_VIEW_PERMISSIONS does not open (contract 1.2). */
const neverExempt = new Set(['users.group', 'users.objectpermission', 'users.token', 'users.user']);

/**
 * Who may do what: superusers everything; any user what concerns his own tokens (contract 1.3, default permissions);
 * anybody what the setting exempts from permissions, for reading.
 */
export class InventoryAccess implements AccessPolicy {
  /** @param exempt `<app>.<model>` that may be viewed without permission; `*` for nearly all */
  constructor(private readonly exempt: ReadonlySet<string> = new Set()) {}

  /** See {@link AccessPolicy}. */
  grant(actor: InventoryActor, model: ModelDefinition, action: Action): Grant | null {
    if (action !== 'view' && !actor.mayWrite) return null;
    if (actor.isSuperuser) return everything;
    if (action === 'view' && this.#isExempt(model.type)) return everything;
    if (model.type !== 'users.token' || actor.kind !== 'user') return null;
    return { where: (alias, parameters) => `${alias}.user_id = ${parameters.add(actor.id, 'bigint')}` };
  }

  #isExempt(type: string): boolean {
    return this.exempt.has(type) || (this.exempt.has('*') && !neverExempt.has(type));
  }
}
