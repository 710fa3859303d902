import type { ModelDefinition } from '../declaration/model.js';
import type { Registry } from '../declaration/registry.js';
import type { Sql } from '../sql/pieces.js';
import { except, type FilterSource } from './filter.js';
import { objectFilterWhere } from './relation-filter.js';

/** One reference on the way, and the table that it leads to. */
interface Step {
  readonly column: string;
  readonly target: ModelDefinition;
}

/**
 * Filters by an object at the end of several references: `<name>_id` by id, and `<name>` by a field of it. A node of a
 * tree stands for those below it as well. There are none as long as a model on the way is not declared.
 *
 * @param path names of references joined by dots, such as `tenant.group`
 * @throws RangeError when the path names a field that is no reference
 */
export function along(name: string, path: string, by: string | null = 'slug'): FilterSource {
  return (model, registry) => {
    const steps = stepsOf(model, registry, path);
    const target = steps?.at(-1)?.target;
    if (steps === null || target === undefined) return [];
    const relation = {
      target,
      below: target.tree,
      matches: (alias: string, ids: Sql) => leadsTo(alias, steps, `= ANY (${ids})`),
      isNull: (alias: string) => except(leadsTo(alias, steps, 'IS NOT NULL')),
    };
    const byId = objectFilterWhere(`${name}_id`, { ...relation, by: 'id' });
    return by === null ? [byId] : [byId, objectFilterWhere(name, { ...relation, by })];
  };
}

function stepsOf(model: ModelDefinition, registry: Registry, path: string): readonly Step[] | null {
  const steps: Step[] = [];
  let at = model;
  for (const name of path.split('.')) {
    const field = at.fields[name];
    const column = field?.column(name)?.name;
    if (field?.relation?.kind !== 'ref' || column === undefined) {
      throw new RangeError(`${at.type} has no reference ${name}, which a filter of ${model.type} goes along`);
    }
    const target = registry.find(field.relation.targets[0] ?? '');
    if (target === null) return null;
    steps.push({ column, target });
    at = target;
  }
  return steps;
}

/** Rows from which the last reference of the way meets the condition; each table is asked for its own index. */
function leadsTo(alias: string, [first, ...rest]: readonly Step[], condition: Sql): Sql {
  if (first === undefined) return 'true';
  if (rest.length === 0) return `${alias}."${first.column}" ${condition}`;
  const next = `${alias}_${rest.length}`;
  return `${alias}."${first.column}" IN (SELECT ${next}.id FROM ${first.target.table} ${next} WHERE ${leadsTo(next, rest, condition)})`;
}
