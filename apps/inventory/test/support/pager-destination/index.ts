import { defineEventDestination, type StoredActionObject } from '../../../src/destinations/define-destination.js';
import { pagerModel } from './model.js';

interface StoredPager extends StoredActionObject {
  readonly serviceUrl: string;
  readonly accessKey: string;
}

/** Kind of destination that calls a pager service. Only this test suite declares the kind. */
export const pager = defineEventDestination<StoredPager, 'access_key'>({
  actionType: 'pager',
  label: 'Pager',
  model: pagerModel,
  features: ['tags'],
  columns: { serviceUrl: 'service_url', accessKey: 'access_key' },
  secretFields: ['access_key'],
  receiverColumn: 'service_url',
  build: ({ payload }, { serviceUrl, accessKey }, { openSecret }) => {
    const headers = { authorization: `Key ${openSecret('access_key', accessKey)}` };
    return Promise.resolve({ request: { url: serviceUrl, method: 'POST', headers, body: payload }, body: payload });
  },
  checkResponse: ({ status }) => (status === 202 ? null : { error: `The pager service returned ${status}.` }),
});
