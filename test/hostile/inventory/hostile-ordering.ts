import type { HostileSubject } from '../hostile-request.js';
import { get, numbers } from './list-hostile-calls.js';

/** Hostile requests to the inventory with parameters that name fields, such as `ordering` and `fields`. */
export const ordering: HostileSubject = {
  subject: 'ordering',
  requests: [
    {
      title: 'one name that joins a table, 1,500 times',
      statuses: [200],
      calls: () => [
        get(
          `dcim/devices/?ordering=${numbers(1_500)
            .map(() => 'site')
            .join(',')}`,
        ),
      ],
    },
    {
      title: 'one name, ascending and descending alternately',
      statuses: [200],
      calls: () => [
        get(
          `dcim/devices/?ordering=${numbers(1_000)
            .map(() => 'site,-site')
            .join(',')}`,
        ),
      ],
    },
    {
      title: 'more names than allowed, none of which exist',
      statuses: [400],
      calls: () => [
        get(
          `dcim/devices/?ordering=${numbers(1_500)
            .map((n) => `n${n}`)
            .join(',')}`,
        ),
      ],
    },
    {
      title: 'the maximum number of names, each of which joins tables',
      statuses: [200],
      calls: () => [
        get(
          'dcim/devices/?ordering=device_type,role,tenant,platform,site,location,rack,primary_ip4,primary_ip6,oob_ip,cluster,virtual_chassis,config_template,owner,name,serial,asset_tag,position,face,status',
        ),
      ],
    },
    {
      title: 'the names of a model by all their spellings',
      statuses: [200],
      calls: () => [
        get('dcim/interfaces/?ordering=device,device_id,-device,-device_id,module,module_id,_depth,level,name,name'),
      ],
    },
    {
      title: 'commas without names',
      statuses: [200],
      calls: () => [get(`dcim/devices/?ordering=${','.repeat(14_000)}`)],
    },
    {
      title: 'one field requested and omitted many times',
      statuses: [200],
      calls: () => [get(`dcim/devices/?fields=${'site,'.repeat(1_200)}&omit=${'name,'.repeat(1_200)}`)],
    },
  ],
};
