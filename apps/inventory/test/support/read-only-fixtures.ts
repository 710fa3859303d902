import { modelRegistry } from '../../src/models/index.js';
import { extrasReadOnlyFixtures } from './extras-read-only-fixtures.js';
import { deliveryFixture } from './delivery-fixture.js';
import { cableTerminationFixture } from './cable-fixtures.js';
import type { ReadOnlyFixture } from './describe-read-only.js';

/** Fixtures (test data) of the models that clients can only read, one for each model, by type of the model. */
export const readOnlyFixtures: Readonly<Record<string, ReadOnlyFixture>> = {
  ...extrasReadOnlyFixtures,
  'extras.webhookdelivery': deliveryFixture,
  'core.datafile': {
    rows: 2,
    prepare: async ({ api, inventory }) => {
      const { body } = await api.post<{ id: number }>('/api/core/data-sources/', {
        json: { name: 'Files', type: 'local', source_url: '/srv' },
      });
      await inventory.database.query(
        `INSERT INTO core_datafile (source_id, path, size, hash, data, created)
          VALUES ($1, 'a/one.j2', 3, repeat('a', 64), 'one', '2026-01-01'), ($1, 'b/two.yaml', 5, repeat('b', 64), 'other', '2026-02-01')`,
        [body.id],
      );
    },
    filters: [
      { query: 'source=Files', finds: 2 },
      { query: 'source_id=null', finds: 0 },
      { query: 'path=a/one.j2', finds: 1 },
      { query: 'path__iew=yaml', finds: 1 },
      { query: 'size__gt=3', finds: 1 },
      { query: 'hash__isw=b', finds: 1 },
      { query: 'created__lt=2026-02-01', finds: 1 },
      { query: 'last_updated__gt=2020-01-01', finds: 2 },
      { query: 'q=TWO', finds: 1 },
    ],
  },
  'core.job': {
    rows: 2,
    prepare: async ({ api, inventory, adminId }) => {
      const { body } = await api.post<{ id: number }>('/api/core/data-sources/', {
        json: { name: 'Files', type: 'local', source_url: '/srv' },
      });
      await inventory.database.query(
        `INSERT INTO core_job (object_type, object_id, name, status, created, scheduled, interval, started, completed,
            user_id, data, job_id, queue_name, log_entries)
          VALUES ('core.datasource', $1, 'Sync', 'completed', '2026-01-01', NULL, NULL, '2026-01-02', '2026-01-03',
              $2, '{"a": 1}', '00000000-0000-4000-8000-000000000001', 'default', '[{"level": "info", "message": "done"}]'),
            (NULL, NULL, 'Clean up', 'scheduled', '2026-02-01', '2026-03-01', 60, NULL, NULL,
              NULL, NULL, '00000000-0000-4000-8000-000000000002', 'low', '[]')`,
        [body.id, adminId],
      );
    },
    filters: [
      { query: 'object_type=core.datasource', finds: 1 },
      { query: 'object_type_id=null', finds: 1 },
      { query: 'object_id__empty=true', finds: 1 },
      { query: 'name__ic=sync', finds: 1 },
      { query: 'status=scheduled', finds: 1 },
      { query: 'interval=60', finds: 1 },
      { query: 'user=root', finds: 1 },
      { query: 'user_id=null', finds: 1 },
      { query: 'job_id=00000000000040008000000000000001', finds: 1 },
      { query: 'queue_name=default', finds: 1 },
      { query: 'queue_name=default&queue_name=low', finds: 1 },
      { query: 'notifications=always', finds: 2 },
      { query: 'created=2026-01-01', finds: 1 },
      { query: 'created__before=2026-01-15', finds: 1 },
      { query: 'scheduled__after=2026-03-01', finds: 1 },
      { query: 'started__before=2026-01-02', finds: 1 },
      { query: 'completed__after=2026-01-04', finds: 0 },
      { query: 'q=ROOT', finds: 1 },
      { query: 'q=clean', finds: 1 },
    ],
  },
  'core.objecttype': {
    rows: modelRegistry.models.length,
    prepare: async () => undefined,
    filters: [
      { query: 'app_label=dcim&model=site', finds: 1 },
      { query: 'model__ic=ipsec', finds: 3 },
      { query: 'app_label=tenancy', finds: 6 },
      { query: 'public=false', finds: 2 },
      // Numbers of models per feature follow docs/contract/inventory.md 3.1; chat destinations add one to some.
      { query: 'features=contacts', finds: 25 },
      { query: 'features=journaling', finds: 86 },
      { query: 'features=bookmarks', finds: 88 },
      { query: 'features=notifications', finds: 88 },
      { query: 'features=event_rules', finds: 121 },
      { query: 'features=change_logging', finds: 118 },
      { query: 'features=tags', finds: 96 },
      { query: 'features=custom_fields', finds: 95 },
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
