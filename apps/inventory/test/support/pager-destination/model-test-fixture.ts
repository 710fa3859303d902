import type { Fixture } from '../describe-model.js';
import { byName } from '../fixtures-of-named-objects.js';

/** Fixture (test data) of three pagers. A pager is a kind of destination that only this test suite declares. */
export const fixture: Fixture = {
  create: () => [
    { name: 'Delta 10', service_url: 'https://pager.example.com/', access_key: 'abc' },
    { name: 'Delta 2', service_url: 'http://localhost:9002/call', access_key: 'def' },
    { name: 'Echo', service_url: 'http://10.0.0.1/', access_key: 'ghi' },
  ],
  patch: { body: { access_key: 'jkl' }, shown: { access_key: '********' } },
  filters: [...byName, { query: 'access_key=def', finds: [1] }],
};
