import type { Filter } from '../../engine/filter/filter.js';
import { except, readFlag } from '../../engine/filter/filter.js';
import { ref } from '../../engine/kinds/relation.js';
import type { Sql } from '../../engine/sql/pieces.js';

/** Whose it is. What is not shared is there for this user alone. */
export const keeper = ref('users.user', { nullable: true, onDelete: 'set_null', filterBy: 'username', bare: true });

/** What is there for a user: what is shared, and what is his own. */
export function sharedOrOwn(alias: string, userId: Sql): Sql {
  return `${alias}.shared OR ${alias}.user_id = ${userId}`;
}

/** What whoever asks can use: what is enabled and there for him, superusers not excepted. */
export const usableFilter: Filter = {
  name: 'usable',
  lookups: [],
  multiple: false,
  schema: { type: 'boolean' },
  compile: ({ alias, values, parameters, userId }) => {
    const flag = readFlag(values.at(-1) ?? '');
    if (flag === null) return null;
    const usable = `${alias}.enabled AND (${sharedOrOwn(alias, parameters.add(userId, 'bigint'))})`;
    return flag ? usable : except(usable);
  },
};
