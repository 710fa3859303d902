import type { HostileSubject } from '../hostile-request.js';
import { get, numbers, repeated } from './calls.js';

/** Many values and many filters in one query. */
export const filters: HostileSubject = {
  subject: 'filters',
  requests: [
    {
      title: '1,000 ids of one filter, as pynetbox sends',
      statuses: [200],
      calls: () => [get(`dcim/devices/?${repeated('id', numbers(1_000))}`)],
    },
  ],
};
