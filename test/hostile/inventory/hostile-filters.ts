import type { HostileSubject } from '../hostile-request.js';
import { get, numbers, post, repeatedParameter } from './list-hostile-calls.js';

/** Slugs of tags that the suite creates. */
const tags = numbers(700).map((n) => `t${n}`);

/** Hostile requests to the inventory with many filters or many values of one filter. */
export const filters: HostileSubject = {
  subject: 'filters',
  requests: [
    {
      title: '1,000 ids of one filter, like from pynetbox',
      statuses: [200],
      calls: () => [get(`dcim/devices/?${repeatedParameter('id', numbers(1_000))}`)],
    },
    {
      title: 'hundreds of tags that an object must all have',
      statuses: [200],
      calls: () => [get(`dcim/devices/?${repeatedParameter('tag', tags)}`)],
    },
    {
      title: 'hundreds of tags, whose client disconnects',
      statuses: [200],
      calls: () => [
        { ...get(`dcim/sites/?${repeatedParameter('tag', tags)}&ordering=region,group,tenant`), abandonAfterMs: 50 },
      ],
    },
    {
      title: 'more values of one filter than allowed',
      statuses: [400],
      calls: () => [get(`dcim/devices/?${repeatedParameter('id', numbers(2_100))}`)],
    },
    {
      title: 'one value of a filter many times',
      statuses: [200],
      calls: () => [get(`dcim/devices/?${'name=a&'.repeat(1_900)}`)],
    },
    {
      title: 'slugs of sites that do not exist',
      statuses: [400],
      calls: () => [
        get(
          `dcim/devices/?${repeatedParameter(
            'site',
            numbers(1_500).map((n) => `none${n}`),
          )}`,
        ),
      ],
    },
    {
      title: 'substrings to search in names',
      statuses: [200],
      calls: () => [get(`dcim/devices/?${repeatedParameter('name__ic', numbers(900))}`)],
    },
    {
      title: 'networks that contain addresses',
      statuses: [200],
      calls: () => [
        get(
          `ipam/ip-addresses/?${repeatedParameter(
            'parent',
            numbers(900).map((n) => `10.${n % 250}.0.0/16`),
          )}`,
        ),
      ],
    },
    {
      title: 'nodes of several trees, with all their descendants',
      statuses: [400],
      calls: () => [
        get(
          `dcim/devices/?${['region', 'site_group', 'location', 'tenant_group']
            .map((name) =>
              repeatedParameter(
                name,
                numbers(200).map((n) => `x${n}`),
              ),
            )
            .join('&')}`,
        ),
      ],
    },
    {
      title: 'more different filters than allowed',
      statuses: [400],
      calls: () => [
        get(
          `dcim/devices/?${numbers(400)
            .map((n) => `cf_x${n}=1`)
            .join('&')}`,
        ),
      ],
    },
    {
      title: 'unknown filters that resemble known ones, which are rejected with suggestions',
      statuses: [400],
      calls: () => [
        get(
          `dcim/devices/?${numbers(90)
            .map((n) => `virtual_chassis_membr${'s'.repeat(n)}=1`)
            .join('&')}`,
          {
            headers: { 'x-strict-filters': 'true' },
          },
        ),
      ],
    },
    {
      title: 'a saved filter of 50,000 values',
      statuses: [400],
      calls: async (session) => {
        await session.ask(
          post('extras/saved-filters/', {
            name: 'long',
            slug: 'long',
            object_types: ['dcim.device'],
            parameters: { name: numbers(50_000).map((n) => `n${n}`) },
          }),
        );
        return [get('dcim/devices/?filter=long')];
      },
    },
    {
      title: 'many concurrent lists, each filtered by hundreds of tags',
      statuses: [200],
      calls: () => numbers(20).map((n) => get(`dcim/racks/?${repeatedParameter('tag', tags.slice(n))}`)),
    },
  ],
};
