import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { openapi } from './support/test-service.js';
import { ownDestination, ownDestinations } from './support/non-reference-destinations.js';

/** HTTP methods of the paths in the OpenAPI document of the reference API, by URL path. */
const reference: Readonly<Record<string, string>> = JSON.parse(
  readFileSync(new URL('reference/paths.json', import.meta.url), 'utf8'),
);

/** Regular expressions of URL paths that exist in only one of the two APIs. Each entry has the reason. */
const onPurpose: readonly (readonly [RegExp, string])[] = [
  ...ownDestinations.map(({ path }) => [new RegExp(`^/api/${path}/`), ownDestination] as const),
  [/^\/api\/extras\/webhook-deliveries\//, 'The reference shows nothing of what it sends.'],
  [/^\/api\/([a-z]+\/)?$/, 'The reference serves its roots and does not describe them.'],
  [/^\/api\/plugins\/installed-plugins\/$/, 'As the roots.'],
];

/** URL paths for which the two APIs describe different HTTP methods. Each entry has the reason. */
const otherMethods: Readonly<Record<string, string>> = {
  '/api/extras/scripts/': 'POST responds with the reason why scripts are not run.',
  '/api/users/config/': 'The reference takes PATCH and does not describe it.',
};

const anyName = (path: string): string => path.replaceAll(/\{[^}]+\}/g, '{}');
const isIntended = (path: string): boolean => onPurpose.some(([pattern]) => pattern.test(path));

const described = new Map(
  Object.entries(openapi.paths ?? {}).map(([path, operations]) => [
    anyName(path),
    Object.keys(operations)
      .filter((method) => ['get', 'post', 'put', 'patch', 'delete'].includes(method))
      .map((method) => method.toUpperCase())
      .toSorted()
      .join(' '),
  ]),
);
const wanted = new Map(Object.entries(reference).map(([path, methods]) => [anyName(path), methods]));

describe('OpenAPI document compared to that of the reference API', () => {
  it('contains the same paths', () => {
    const missing = [...wanted.keys()].filter((path) => !described.has(path) && !isIntended(path));
    const beyond = [...described.keys()].filter((path) => !wanted.has(path) && !isIntended(path));
    expect({ missing, beyond }).toEqual({ missing: [], beyond: [] });
  });

  it('contains the same methods for each path', () => {
    const other = [...wanted].filter(
      ([path, methods]) => (described.get(path) ?? methods) !== methods && !(path in otherMethods),
    );
    expect(other.map(([path, methods]) => [path, described.get(path), methods])).toEqual([]);
  });

  it('differs from the reference API in every path of the list of intended differences', () => {
    const idle = onPurpose.filter(
      ([pattern]) =>
        ![...wanted.keys()].some((path) => pattern.test(path) && !described.has(path)) &&
        ![...described.keys()].some((path) => pattern.test(path) && !wanted.has(path)),
    );
    expect(idle).toEqual([]);
  });
});
