import type { ListFilter } from '../../engine/filter/filter-problem.js';
import { negateSqlCondition, parseBooleanFilterValue } from '../../engine/filter/filter-problem.js';
import { referenceField } from '../../engine/field-types/relation.js';
import type { SqlText } from '../../engine/sql/json-text-sql.js';

/** Field with the user to whom an object belongs. Other users can see the object only if the object is shared. */
export const owningUserField = referenceField('users.user', {
  nullable: true,
  onDelete: 'set_null',
  filterBy: 'username',
  bare: true,
});

/** Returns the SQL condition for objects that a user may see: shared objects, and objects that belong to that user. */
export function createSharedOrOwnCondition(alias: string, userId: SqlText): SqlText {
  return `${alias}.shared OR ${alias}.user_id = ${userId}`;
}

/**
 * Filter `usable`, which matches objects that are enabled and that are shared or belong to the requesting user. The
 * rule also applies to superusers.
 */
export const usableObjectFilter: ListFilter = {
  name: 'usable',
  lookups: [],
  multiple: false,
  schema: { type: 'boolean' },
  compile: ({ alias, values, parameters, userId }) => {
    const flag = parseBooleanFilterValue(values.at(-1) ?? '');
    if (flag === null) return null;
    const usable = `${alias}.enabled AND (${createSharedOrOwnCondition(alias, parameters.add(userId, 'bigint'))})`;
    return flag ? usable : negateSqlCondition(usable);
  },
};
