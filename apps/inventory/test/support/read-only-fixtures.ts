import type { ReadOnlyFixture } from './describe-read-only.js';

/** One fixture for each model that clients can only read, by type. */
export const readOnlyFixtures: Readonly<Record<string, ReadOnlyFixture>> = {
  'core.objectchange': {
    rows: 3,
    prepare: async ({ api }) => {
      const { body } = await api.post<{ id: number }>('/api/tenancy/tenants/', {
        json: { name: 'Acme', slug: 'acme' },
      });
      await api.patch(`/api/tenancy/tenants/${body.id}/`, { json: { description: 'x', changelog_message: 'why' } });
      await api.post('/api/extras/tags/', { json: { name: 'Alpha', slug: 'alpha' } });
    },
    filters: [
      { query: 'action=create', finds: 2 },
      { query: 'user=root', finds: 3 },
      { query: 'user_name=nobody', finds: 0 },
      { query: 'changed_object_type=tenancy.tenant', finds: 2 },
      { query: 'changed_object_type=tenancy.tenant&changed_object_id=1', finds: 2 },
      { query: 'related_object_type=dcim.device', finds: 0 },
      { query: 'object_repr=Acme', finds: 2 },
      { query: 'request_id=00000000-0000-4000-8000-000000000000', finds: 0 },
      { query: 'time_after=2020-01-01', finds: 3 },
      { query: 'time_before=2020-01-01', finds: 0 },
      { query: 'q=alph', finds: 1 },
      { query: 'q=why', finds: 1 },
    ],
  },
};
