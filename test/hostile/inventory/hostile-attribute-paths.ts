import type { HostileSubject } from '../hostile-request.js';
import { get, numbers, patch, post } from './list-hostile-calls.js';

const manyLookups = [
  'icontains',
  'istartswith',
  'iendswith',
  'iexact',
  'contains',
  'startswith',
  'endswith',
  'gt',
  'lt',
  'gte',
];
const manyFields = ['name', 'slug', 'description', 'comments'];

/** Returns `count` conditions that identify a site by fields of the regions above the site, up to `depth` levels. */
function byRegions(count: number, depth: number, value: string): Record<string, string> {
  const paths = manyLookups.flatMap((lookup) =>
    manyFields.map((field) => `region__${'parent__'.repeat(depth - 2)}${field}__${lookup}`),
  );
  return Object.fromEntries(paths.slice(0, count).map((path) => [path, value]));
}

/** Returns an object that contains a further object under the key `name`, and so on to the given depth. */
function nestedObject(name: string, depth: number): object {
  return numbers(depth).reduce<object>((inner) => ({ [name]: inner }), { name: 'x' });
}

/**
 * Hostile requests to the inventory with attributes that identify related objects in writes. Some requests contain
 * constraints of permissions.
 */
export const attributePaths: HostileSubject = {
  subject: 'attribute paths',
  requests: [
    {
      title: '119 paths through four regions',
      statuses: [400],
      calls: () => [
        post('dcim/racks/', {
          name: 'x',
          site: Object.fromEntries(
            numbers(119).map((n) => [`region__parent__parent__parent__name__${'i'.repeat(n)}`, 'x']),
          ),
        }),
      ],
    },
    {
      title: 'the maximum number of attribute paths of one object, at maximum depth',
      statuses: [400],
      calls: () => [post('dcim/racks/', { name: 'x', site: byRegions(40, 6, 'x') })],
    },
    {
      title: 'a path of 4,000 names',
      statuses: [400],
      calls: () => [post('dcim/racks/', { name: 'x', site: { [`region__${'parent__'.repeat(4_000)}name`]: 'x' } })],
    },
    {
      title: 'attributes nested 2,000 levels deep',
      statuses: [400],
      calls: () => [post('dcim/racks/', { name: 'x', site: { region: nestedObject('parent', 2_000) } })],
    },
    {
      title: 'a list of objects whose related objects have 40 deep paths each',
      statuses: [400],
      calls: () => [
        post(
          'dcim/racks/',
          numbers(100).map((n) => ({ name: `x${n}`, site: byRegions(40, 6, `x${n}`) })),
        ),
      ],
    },
    {
      title: 'a list of objects with the maximum number of attribute names',
      statuses: [400],
      calls: () => [
        post(
          'dcim/racks/',
          numbers(24).map((n) => ({ name: `x${n}`, site: byRegions(40, 6, `x${n}`) })),
        ),
      ],
    },
    {
      title: 'many related objects by paths through tags and their objects',
      statuses: [400],
      calls: () => [
        post('dcim/devices/', {
          name: 'x',
          tags: numbers(300).map((n) => ({ name__icontains: `t${n}`, slug__endswith: `${n}` })),
          site: { tags__slug__in: numbers(3_000).map((n) => `t${n}`) },
        }),
      ],
    },
    {
      title: 'a permission whose constraints have very many attribute paths',
      statuses: [400],
      calls: () => [
        post('users/permissions/', {
          name: 'x',
          object_types: ['dcim.site', 'dcim.device', 'dcim.rack'],
          actions: ['view'],
          constraints: numbers(50).map(() => byRegions(40, 9, 'x')),
        }),
      ],
    },
    {
      title: 'a change of many objects whose parents identify them by their parents',
      statuses: [400],
      calls: async (session) => {
        const made = await session.ask(get('dcim/sites/?limit=50&brief=1'));
        const ids = resultsOf(made).map(({ id }) => id);
        return [
          patch(
            'dcim/sites/',
            ids.map((id) => ({ id, region: nestedObject('parent', 5), group: nestedObject('parent', 5) })),
          ),
        ];
      },
    },
  ],
};

/** Returns the objects in the body of a list response of the inventory. */
function resultsOf(body: unknown): readonly { readonly id: number }[] {
  const results: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, 'results') : undefined;
  return Array.isArray(results) ? results : [];
}
