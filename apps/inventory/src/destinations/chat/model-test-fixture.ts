import type { Fixture } from '../../../test/support/describe-model.js';

/** Test data with three chat destinations. */
export const fixture: Fixture = {
  surroundings: [{ name: 'tag', path: '/api/extras/tags/', body: { name: 'Alpha', slug: 'alpha' } }],
  create: () => [
    {
      name: 'Delta 10',
      server_url: 'https://chat.example.com',
      bot_email: 'network-bot@example.com',
      bot_key: 'abcdef',
      channel: 'network',
      topic_template: '{{ data.name }}',
      message_template: '{{ event }}',
      tags: [{ slug: 'alpha' }],
    },
    {
      name: 'Delta 2',
      server_url: 'http://localhost:9991/team',
      bot_email: 'bot@localhost',
      bot_key: 'ghijkl',
      channel: 'general',
    },
    { name: 'Echo', server_url: 'http://10.0.0.1', bot_email: 'b@c.d', bot_key: 'mn', channel: 'network' },
  ],
  patch: { body: { channel: 'sites' }, shown: { channel: 'sites', bot_key: '********' } },
  filters: [
    { query: 'name=Delta%202&name=Echo', finds: [1, 2] },
    { query: 'name__ic=DELTA', finds: [0, 1] },
    { query: 'q=nothing-at-all', finds: [] },
    { query: 'channel=network', finds: [0, 2] },
    { query: 'bot_email__isw=bot', finds: [1] },
    { query: 'bot_key=mn', finds: [2] },
    { query: 'server_url__ic=localhost', finds: [1] },
    { query: 'tag=alpha', finds: [0] },
    { query: 'q=CHAT.EXAMPLE', finds: [0] },
  ],
};
