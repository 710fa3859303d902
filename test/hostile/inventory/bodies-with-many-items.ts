import type { HostileSubject } from '../hostile-request.js';
import { get, numbers, patch, post, remove } from './list-hostile-calls.js';

/** Hostile requests to the inventory whose bodies have many items or are deeply nested. */
export const bodiesOfManyItems: HostileSubject = {
  subject: 'bodies of many items',
  requests: [
    {
      title: '1,000 new sites, like from a script',
      statuses: [201],
      calls: () => [
        post(
          'dcim/sites/',
          numbers(1_000).map((n) => ({ name: `many ${n}`, slug: `many-${n}` })),
        ),
      ],
    },
    {
      title: 'tens of thousands of new objects without a field that is required',
      statuses: [400],
      calls: () => [
        post(
          'dcim/sites/',
          numbers(60_000).map(() => ({})),
        ),
      ],
    },
    {
      title: 'a change of tens of thousands of objects that do not exist',
      statuses: [200, 400, 404],
      calls: () => [
        patch(
          'dcim/sites/',
          numbers(60_000).map((n) => ({ id: n + 10_000_000, name: 'x' })),
        ),
      ],
    },
    {
      title: 'a deletion of tens of thousands of objects that do not exist',
      statuses: [204, 400, 404],
      calls: () => [
        remove(
          'dcim/sites/',
          numbers(60_000).map((n) => ({ id: n + 10_000_000 })),
        ),
      ],
    },
    {
      title: 'one object many times in one change',
      statuses: [200, 400],
      calls: async (session) => {
        await session.ask(get('dcim/sites/?limit=1'));
        return [
          patch(
            'dcim/sites/',
            numbers(20_000).map((n) => ({ id: 1, description: `d${n}` })),
          ),
        ];
      },
    },
    {
      title: 'lists in lists, a hundred thousand deep',
      statuses: [400],
      calls: () => [{ ...post('dcim/sites/', {}), body: '['.repeat(100_000) + ']'.repeat(100_000) }],
    },
    {
      title: 'custom field data of objects in objects',
      statuses: [400],
      calls: () => [
        {
          ...post('dcim/sites/', {}),
          body: `{"name":"x","slug":"x","custom_fields":${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}}`,
        },
      ],
    },
    {
      title: 'an object with a hundred thousand keys that it does not have',
      statuses: [201, 400],
      calls: () => [
        post('dcim/sites/', {
          name: 'keys',
          slug: 'keys',
          ...Object.fromEntries(numbers(100_000).map((n) => [`k${n}`, n])),
        }),
      ],
    },
    {
      title: 'thousands of tags of one object by their names',
      statuses: [201, 400],
      calls: () => [
        post('dcim/sites/', { name: 'tagged', slug: 'tagged', tags: numbers(5_000).map((n) => ({ name: `t${n}` })) }),
      ],
    },
    {
      title: 'an allocation of very many addresses',
      statuses: [400, 409],
      calls: async (session) => {
        const made = await session.ask(post('ipam/prefixes/', { prefix: '10.9.0.0/20' }));
        const id: unknown = Reflect.get(Object(made), 'id');
        return [
          post(
            `ipam/prefixes/${String(id)}/available-ips/`,
            numbers(60_000).map(() => ({})),
          ),
        ];
      },
    },
  ],
};
