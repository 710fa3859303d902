import type { Fixture } from './describe-model.js';

/** Returns a function that creates the request bodies of three objects that need only a name and a slug. */
export const named = (...names: readonly [string, string, string]): Fixture['create'] => {
  const [first, second, third] = names;
  const body = (name: string): Record<string, unknown> => ({ name, slug: name.toLowerCase().replaceAll(' ', '-') });
  return () => [body(first), body(second), body(third)];
};

/** Query strings that find some of three objects with the names Delta 10, Delta 2 and Echo. */
export const byName: Fixture['filters'] = [
  { query: 'name=Delta%202&name=Echo', finds: [1, 2] },
  { query: 'name__ic=DELTA', finds: [0, 1] },
  { query: 'name__n=Echo', finds: [0, 1] },
  { query: 'slug=echo', finds: [2] },
  { query: 'q=elta', finds: [0, 1] },
  { query: 'q=nothing-at-all', finds: [] },
];

/** Body of a PATCH request that changes only the name, with the fields that the response must contain. */
export const renamed: Fixture['patch'] = { body: { name: 'Renamed' }, shown: { name: 'Renamed', display: 'Renamed' } };
