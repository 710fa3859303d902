import type { Database } from '@switchboard/database';
import type { ObjectAccessPolicy, InventoryActor } from '../../engine/object-access.js';
import { SqlParameters } from '../../engine/sql/parameterized-statement.js';
import { savedFilterModel } from '../../models/extras/saved-filter.js';

/** Name of the query parameter whose value is the slug of a saved filter. */
const savedFilterSlugParameter = 'filter';
/** Name of the query parameter whose value is the id of a saved filter. */
const savedFilterIdParameter = 'filter_id';

/**
 * Applies saved filters to requests for lists of objects: `?filter=<slug>` and `?filter_id=<id>`
 * (docs/contract/inventory.md 1.9).
 */
export class SavedFilterApplier {
  constructor(private readonly parts: { readonly database: Database; readonly policy: ObjectAccessPolicy }) {}

  /**
   * Returns the query parameters of a request, together with the parameters of the saved filters that the request
   * names. Saved filters that do not exist or are not visible to the user are ignored.
   */
  async applySavedFilters(query: URLSearchParams, actor: InventoryActor): Promise<URLSearchParams> {
    const slugs = query.getAll(savedFilterSlugParameter).filter((slug) => slug !== '' && !slug.includes('\0'));
    const ids = query.getAll(savedFilterIdParameter).filter((id) => /^\s*\d{1,18}\s*$/.test(id));
    const grant = this.parts.policy.getGrant(actor, savedFilterModel, 'view');
    if ((slugs.length === 0 && ids.length === 0) || grant === null) return query;
    const parameters = new SqlParameters();
    const named = `t.slug = ANY (${parameters.add(slugs, 'text[]')}) OR t.id = ANY (${parameters.add(ids, 'bigint[]')})`;
    const visible = grant.where === null ? '' : ` AND (${grant.where('t', parameters)})`;
    const { rows } = await this.parts.database.query<{ parameters: unknown }>(
      `SELECT t.parameters FROM extras_savedfilter t WHERE (${named})${visible} ORDER BY t.weight, t.name, t.id`,
      parameters.values,
    );
    const merged = new URLSearchParams(query);
    for (const { parameters: saved } of rows) addSavedFilterParameters(merged, saved);
    return merged;
  }
}

function addSavedFilterParameters(query: URLSearchParams, saved: unknown): void {
  if (typeof saved !== 'object' || saved === null || Array.isArray(saved)) return;
  for (const [name, given] of Object.entries(saved)) {
    const values: readonly unknown[] = Array.isArray(given) ? given : [given];
    for (const value of values) {
      if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
        query.append(name, String(value));
    }
  }
}
