import type { Fixture } from './describe-model.js';

/** Returns bodies of objects that need only a name and a slug. */
export const named = (...names: readonly [string, string, string]): Fixture['create'] => {
  const [first, second, third] = names;
  const body = (name: string): Record<string, unknown> => ({ name, slug: name.toLowerCase().replaceAll(' ', '-') });
  return () => [body(first), body(second), body(third)];
};

/** Query strings that find objects named Delta 10, Delta 2 and Echo. */
export const byName: Fixture['filters'] = [
  { query: 'name=Delta%202&name=Echo', finds: [1, 2] },
  { query: 'name__ic=DELTA', finds: [0, 1] },
  { query: 'name__n=Echo', finds: [0, 1] },
  { query: 'slug=echo', finds: [2] },
  { query: 'q=elta', finds: [0, 1] },
  { query: 'q=nothing-at-all', finds: [] },
];

/** A PATCH body that changes only the name, with the expected fields. */
export const renamed: Fixture['patch'] = { body: { name: 'Renamed' }, shown: { name: 'Renamed', display: 'Renamed' } };
