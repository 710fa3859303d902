import type { Fixture } from '../../../test/support/describe-model.js';

/** Test data with three webhooks. */
export const fixture: Fixture = {
  create: () => [
    { name: 'Delta 10', payload_url: 'http://localhost:9000/', secret: 'open sesame' },
    { name: 'Delta 2', payload_url: 'https://example.com/hook' },
    { name: 'Echo', payload_url: 'http://example.com/{{ event }}' },
  ],
  patch: { body: { http_method: 'PUT' }, shown: { http_method: 'PUT', secret: '********' } },
  nullable: { field: 'ca_file_path', value: '/etc/ca.pem', shown: '/etc/ca.pem' },
  filters: [
    { query: 'name__isw=delta', finds: [0, 1] },
    { query: 'q=example', finds: [1, 2] },
  ],
};
