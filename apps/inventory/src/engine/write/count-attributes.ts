import type { RequestLimits } from '../request-limits.js';
import { createInvalidInputProblem } from './invalid-input-problem.js';
import { isLookupName } from './lookup-sql-operators.js';

/** Number of attribute paths with which a request identifies an object, and number of names in those paths. */
export interface IdentifyingAttributeCounts {
  readonly paths: number;
  /**
   * Number of names in all attribute paths, without the lookups at the end of paths. Each name may add a table to the
   * SQL query.
   */
  readonly names: number;
}

/**
 * Counts the paths and names of a set of attributes that identifies an object.
 *
 * @throws InputProblem if there are too many paths, or a path has too many names
 */
export function countIdentifyingAttributes(
  attributes: Readonly<Record<string, unknown>>,
  limits: RequestLimits,
): IdentifyingAttributeCounts {
  const { attributePaths, attributeDepth } = limits;
  let [paths, names] = [0, 0];
  const measure = (set: Readonly<Record<string, unknown>>, above: number): void => {
    for (const [path, value] of Object.entries(set)) {
      const parts = path.split('__');
      const depth = above + parts.length - (parts.length > 1 && isLookupName(parts.at(-1) ?? '') ? 1 : 0);
      if (depth > attributeDepth)
        throw createInvalidInputProblem(`An attribute path has at most ${attributeDepth} names.`);
      if (isIdentifyingAttributeSet(value) && Object.keys(value).length > 0) {
        measure(value, depth);
        continue;
      }
      paths += 1;
      names += depth;
      if (paths > attributePaths)
        throw createInvalidInputProblem(`Give at most ${attributePaths} attributes of a related object.`);
    }
  };
  measure(attributes, 0);
  return { paths, names };
}

/** Returns true if a value is a nested set of attributes, which identifies an object. */
export function isIdentifyingAttributeSet(value: unknown): value is Readonly<Record<string, unknown>> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
