import { except, type Filter, FilterProblem } from './filter.js';

/** Rows that refer to one of these models, given as `<app>.<model>`. */
export function objectTypeFilter(name: string): Filter {
  return {
    name,
    lookups: ['n'],
    multiple: true,
    schema: { type: 'string' },
    compile: ({ alias, values, lookup, parameters }) => {
      const any = `${alias}."${name}" = ANY (${parameters.add(values.map(readType), 'text[]')})`;
      return lookup === 'n' ? except(any) : any;
    },
  };
}

/** Rows whose list of models holds one of these. */
export function objectTypeListFilter(name: string, column: string): Filter {
  return {
    name,
    lookups: ['n'],
    multiple: true,
    schema: { type: 'string' },
    compile: ({ alias, values, lookup, parameters }) => {
      const any = `${alias}."${column}" && ${parameters.add(values.map(readType), 'text[]')}`;
      return lookup === 'n' ? except(any) : any;
    },
  };
}

function readType(value: string): string {
  if (!/^[a-z]+\.[a-z]+$/.test(value))
    throw new FilterProblem("Invalid value. Specify a content type as '<app_label>.<model_name>'.");
  return value;
}
