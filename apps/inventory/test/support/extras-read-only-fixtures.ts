import type { ReadOnlyFixture } from './describe-read-only.js';

/** Fixtures (test data) of tagged objects and of scripts. */
export const extrasReadOnlyFixtures: Readonly<Record<string, ReadOnlyFixture>> = {
  'extras.taggeditem': {
    rows: 3,
    prepare: async ({ api }) => {
      const tags = [
        { name: 'Alpha', slug: 'alpha', weight: 20 },
        { name: 'Beta', slug: 'beta', weight: 10, description: 'Second' },
      ];
      await api.post('/api/extras/tags/', { json: tags });
      await api.post('/api/tenancy/tenants/', {
        json: { name: 'Acme', slug: 'acme', tags: [{ slug: 'alpha' }, { slug: 'beta' }] },
      });
      await api.post('/api/dcim/sites/', { json: { name: 'Delta', slug: 'delta', tags: [{ slug: 'alpha' }] } });
    },
    filters: [
      { query: 'tag=alpha', finds: 2 },
      { query: 'tag=alpha&tag=beta', finds: 3 },
      { query: 'tag__n=alpha', finds: 1 },
      { query: 'tag_id=null', finds: 0 },
      { query: 'object_type=dcim.site', finds: 1 },
      { query: 'object_type__n=dcim.site', finds: 2 },
      { query: 'object_type_id=null', finds: 0 },
      { query: 'object_id=1', finds: 3 },
      { query: 'object_id__gt=1', finds: 0 },
      { query: 'q=second', finds: 1 },
      { query: 'q=ALPH', finds: 2 },
    ],
  },
  'extras.script': {
    rows: 2,
    // The response says why there are no scripts.
    creationStatus: 400,
    prepare: ({ inventory }) =>
      inventory.database.query(`WITH file AS (INSERT INTO extras_scriptmodule (file_root, file_path)
          VALUES ('scripts', 'sites.py') RETURNING id)
        INSERT INTO extras_script (module_id, name, is_executable)
          SELECT file.id, script.name, script.runs FROM file, (VALUES ('OpenSite', true), ('CloseSite', false)) AS script (name, runs)`),
    filters: [
      { query: 'name=OpenSite', finds: 1 },
      { query: 'name__ic=site', finds: 2 },
      { query: 'is_executable=false', finds: 1 },
      { query: 'module_id=1', finds: 2 },
      { query: 'module_id__n=1', finds: 0 },
      { query: 'q=close', finds: 1 },
    ],
  },
};
