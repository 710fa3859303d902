import type { Fixture } from './describe-model.js';

const ikeProposal = {
  authentication_method: 'preshared-keys',
  encryption_algorithm: 'aes-256-gcm',
  group: 14,
};

const ikeProposals = ['Alpha', 'Beta'].map((name) => ({
  name: `ike${name}`,
  path: '/api/vpn/ike-proposals/',
  body: { ...ikeProposal, name },
}));

/** One fixture for each model of vpn, by type. */
export const vpnFixtures: Readonly<Record<string, Fixture>> = {
  'vpn.ikepolicy': {
    surroundings: ikeProposals,
    create: ({ ikeAlpha, ikeBeta }) => [
      { name: 'Delta 10', version: 1, mode: 'main', proposals: [ikeAlpha, ikeBeta], preshared_key: 'open sesame' },
      { name: 'Delta 2', version: 2, preshared_key: '"\\ other', comments: 'second' },
      { name: 'Echo', version: '2' },
    ],
    patch: {
      body: { mode: 'aggressive', preshared_key: 'opened' },
      shown: { mode: { value: 'aggressive', label: 'Aggressive' }, preshared_key: 'opened' },
    },
    filters: [
      { query: 'version=1', finds: [0] },
      { query: 'mode=main', finds: [0] },
      { query: 'mode=null', finds: [1, 2] },
      { query: 'ike_proposal=Alpha', finds: [0] },
      { query: 'preshared_key=open+sesame', finds: [0] },
      { query: 'preshared_key__n=open+sesame', finds: [1, 2] },
      { query: 'preshared_key__empty=true', finds: [2] },
      { query: 'preshared_key__empty=false', finds: [0, 1] },
      { query: 'q=second', finds: [1] },
    ],
  },
};
