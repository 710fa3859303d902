import type { ListFilter, ModelFilterFactory } from '../../engine/filter/filter-problem.js';
import { integerFilter } from '../../engine/filter/number-filter.js';
import {
  type ResolvedReferencePathStep,
  type ReferencePath,
  resolveReferencePath,
} from '../../engine/filter/resolve-reference-path.js';
import { stringFilter } from '../../engine/filter/string-filter.js';

/**
 * Returns two filters by a related object: `<name>` compares the slug of the object, and `<name>_id` the id. A row
 * matches if at least one of `paths` leads from the row to that object. A filter value that names no object matches no
 * rows. A filter by a tree node does not match rows related to nodes below it (docs/contract/inventory.md 9.4).
 */
export function createAnyTerminationPathFilters(
  name: string,
  paths: readonly ReferencePath[],
): readonly ModelFilterFactory[] {
  return [
    createAnyTerminationPathFilter(
      paths,
      stringFilter(name, (alias) => `${alias}.slug`),
    ),
    createAnyTerminationPathFilter(
      paths,
      integerFilter(`${name}_id`, (alias) => `${alias}.id`),
    ),
  ];
}

function createAnyTerminationPathFilter(paths: readonly ReferencePath[], filter: ListFilter): ModelFilterFactory {
  return (model, registry) => {
    const ways = paths
      .map((path) => resolveReferencePath(model, registry, path))
      .filter((way): way is ResolvedReferencePathStep => way !== null);
    if (ways.length < paths.length) return [];
    const compile: ListFilter['compile'] = (request) =>
      ways
        .map((way) => way.reach(request.alias, (row) => filter.compile({ ...request, alias: row }) ?? 'true'))
        .join(' OR ');
    return [{ ...filter, lookups: [], compile }];
  };
}
