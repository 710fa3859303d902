import type { SqlText } from '../sql/json-text-sql.js';
import {
  negateSqlCondition,
  type ListFilter,
  type ModelFilterFactory,
  type FilterLookupSuffix,
} from './filter-problem.js';
import { type ReferencePath, resolveReferencePath } from './resolve-reference-path.js';
import { relatedObjectFilterByCondition } from './relation-filter.js';

/** Options of {@link referencePathFilters} and {@link relatedObjectFilter}. */
export interface ReferencePathFilterOptions {
  /**
   * Name of the related object's field that the filter compares with the filter values. With null, that filter does not
   * exist.
   */
  readonly by?: string | null;
  /** True if a filter by a tree node does not match rows related to descendants of the node. Default false. */
  readonly direct?: boolean;
}

/**
 * Returns two filters by a related object at the end of a {@link ReferencePath}. `<name>_id` compares the related
 * object's id, and `<name>` compares another field (default `slug`; with null, the filter `<name>` does not exist). A
 * filter by a tree node also matches objects below that node unless `direct` is set. Returns no filters while a model
 * of the path is not declared.
 *
 * @throws RangeError if the path names a field that is not a reference
 */
export function referencePathFilters(
  name: string,
  path: ReferencePath,
  options: string | null | ReferencePathFilterOptions = {},
): ModelFilterFactory {
  const { by = 'slug', direct = false } = options === null || typeof options === 'string' ? { by: options } : options;
  const sources = [relatedObjectFilter(`${name}_id`, path, { by: 'id', direct })];
  if (by !== null) sources.push(relatedObjectFilter(name, path, { by, direct }));
  return (model, registry) => sources.flatMap((source) => source(model, registry));
}

/**
 * Returns the filter `name`, which compares a related object at the end of a {@link ReferencePath}. `by` is the name of
 * the compared field of the related object; default `id`.
 */
export function relatedObjectFilter(
  name: string,
  path: ReferencePath,
  { by = 'id', direct = false }: ReferencePathFilterOptions = {},
): ModelFilterFactory {
  return (model, registry) => {
    const way = resolveReferencePath(model, registry, path);
    if (way === null) return [];
    const { target } = way;
    return [
      relatedObjectFilterByCondition(name, {
        target,
        by: by ?? 'id',
        below: target.tree && !direct,
        matches: (alias: string, ids: SqlText) => way.reachId(alias, `= ANY (${ids})`),
        isNull: (alias: string) => negateSqlCondition(way.reachId(alias, 'IS NOT NULL')),
      }),
    ];
  };
}

/**
 * Lookup without negation for each negated lookup, such as `ic` for `nic`. The entry is null if the lookup without
 * negation is equality.
 */
const positivePathLookups: Partial<Record<FilterLookupSuffix, FilterLookupSuffix | null>> = {
  n: null,
  nic: 'ic',
  nisw: 'isw',
  niew: 'iew',
  nie: 'ie',
};

/**
 * Returns a filter that applies the filter of a field to related objects at the end of a {@link ReferencePath}. For
 * example, `device_status` filters by the status of the related device. A row matches if at least one related object
 * matches. For a negated lookup, a row matches if no related object matches the positive lookup.
 *
 * @param fieldName field of the model at the end of the path; the filter with the field's name is applied
 * @throws RangeError if there is no such filter
 */
export function relatedFieldFilter(name: string, path: ReferencePath, fieldName: string): ModelFilterFactory {
  return (model, registry) => {
    const way = resolveReferencePath(model, registry, path);
    if (way === null) return [];
    const { target } = way;
    const own = [
      ...target.filters.flatMap((filter) => (typeof filter === 'function' ? [] : [filter])),
      ...(target.fields[fieldName]?.filters(fieldName, registry, target) ?? []),
    ].find((filter) => filter.name === fieldName);
    if (own === undefined) throw new RangeError(`${target.type} has no filter ${fieldName} for ${model.type}`);
    return [{ ...own, name, compile: (request) => compileFilterAtPathEnd(own, request, way.reach) }];
  };
}

type ReferencePathEndCondition = NonNullable<ReturnType<typeof resolveReferencePath>>['reach'];

function compileFilterAtPathEnd(
  filter: ListFilter,
  request: Parameters<ListFilter['compile']>[0],
  reach: ReferencePathEndCondition,
): SqlText | null {
  const found = (asked: typeof request): SqlText | null => {
    // The related filter returns null for values that it ignores; then the whole condition is dropped.
    let isAsked = true;
    const condition = reach(asked.alias, (row) => {
      const inner = filter.compile({ ...asked, alias: row });
      isAsked = inner !== null;
      return inner ?? 'true';
    });
    return isAsked ? condition : null;
  };
  const { lookup } = request;
  const opposite = lookup === null ? undefined : positivePathLookups[lookup];
  if (opposite === undefined) return found(request);
  const positive = found({ ...request, lookup: opposite });
  return positive === null ? null : negateSqlCondition(positive);
}
