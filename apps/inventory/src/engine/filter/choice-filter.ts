import {
  negateSqlCondition,
  type ListFilter,
  InvalidFilterValueError,
  createInvalidChoiceMessage,
} from './filter-problem.js';
import { stringFilter } from './string-filter.js';

/**
 * Returns a filter by a column that has a fixed set of values. If the column is nullable, the filter value `null`
 * matches rows without a value.
 */
export function choiceFilter(name: string, values: readonly (string | number)[], nullable: boolean): ListFilter {
  const known = new Set(values.map(String));
  const text = stringFilter(name, (alias) => `${alias}."${name}"::text`);
  return {
    ...text,
    schema: { type: 'string', enum: values.map(String) },
    compile: (request) => {
      if (request.lookup !== null && request.lookup !== 'n') return text.compile(request);
      const own = `${request.alias}."${name}"`;
      const wantsNull = nullable && request.values.includes('null');
      const requested = request.values.filter((value) => !(nullable && value === 'null'));
      const unknown = requested.find((value) => !known.has(value));
      if (unknown !== undefined) throw new InvalidFilterValueError(createInvalidChoiceMessage(unknown));
      const found = `${own}::text = ANY (${request.parameters.add(requested, 'text[]')})`;
      const any = wantsNull ? `(${found} OR ${own} IS NULL)` : found;
      return request.lookup === 'n' ? negateSqlCondition(any) : any;
    },
  };
}
