import { booleanFilter } from './boolean-filter.js';
import type { ModelFilterFactory } from './filter-problem.js';
import { type ReferencePath, resolveReferencePath } from './resolve-reference-path.js';

/**
 * Returns a boolean filter for rows from which a path of references leads to an object. The value true matches rows for
 * which at least one of `paths` leads to an object.
 */
export function referencedObjectPresenceFilter(name: string, ...paths: readonly ReferencePath[]): ModelFilterFactory {
  return (model, registry) => {
    const ways = paths.flatMap((path) => resolveReferencePath(model, registry, path) ?? []);
    if (ways.length === 0) return [];
    const any = (alias: string): string => ways.map((way) => way.reach(alias, () => 'true')).join(' OR ');
    return [booleanFilter(name, (alias) => `(${any(alias)})`)];
  };
}
