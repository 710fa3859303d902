import { registry } from '../../src/models/index.js';
import { cableTerminationFixture } from './cable-fixtures.js';
import type { ReadOnlyFixture } from './describe-read-only.js';

/** One fixture for each model that clients can only read, by type. */
export const readOnlyFixtures: Readonly<Record<string, ReadOnlyFixture>> = {
  'core.objecttype': {
    rows: registry.models.length,
    prepare: async () => undefined,
    filters: [
      { query: 'app_label=dcim&model=site', finds: 1 },
      { query: 'model__ic=ipsec', finds: 3 },
      { query: 'app_label=tenancy', finds: 6 },
      { query: 'public=false', finds: 2 },
      // How many models have each feature is told by contract 3.1.
      { query: 'features=contacts', finds: 25 },
      { query: 'features=journaling', finds: 86 },
      { query: 'features=bookmarks', finds: 88 },
      { query: 'features=notifications', finds: 88 },
      { query: 'features=event_rules', finds: 120 },
      { query: 'features=change_logging', finds: 117 },
      { query: 'features=tags', finds: 95 },
      { query: 'features=custom_fields', finds: 94 },
      { query: 'features=image_attachments', finds: 11 },
      { query: 'features=nope', finds: 0 },
      { query: 'q=TUNNEL', finds: 3 },
    ],
  },
  'dcim.cabletermination': cableTerminationFixture,
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
      { query: 'changed_object_type_id=null', finds: 0 },
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
