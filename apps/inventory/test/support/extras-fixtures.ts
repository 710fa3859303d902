import type { Fixture } from './describe-model.js';

const byName = [
  { query: 'name=Delta%202&name=Echo', finds: [1, 2] },
  { query: 'name__ic=DELTA', finds: [0, 1] },
  { query: 'q=elta', finds: [0, 1] },
  { query: 'q=nothing-at-all', finds: [] },
];

const site = { name: 'site', path: '/api/dcim/sites/', body: { name: 'Delta', slug: 'delta' } };
const rack = { name: 'tenant', path: '/api/tenancy/tenants/', body: { name: 'Acme', slug: 'acme' } };
const user = { name: 'user', path: '/api/users/users/', body: { username: 'ann', password: 'Twelve chars 1' } };
const tag = { name: 'tag', path: '/api/extras/tags/', body: { name: 'Alpha', slug: 'alpha' } };
const source = {
  name: 'source',
  path: '/api/core/data-sources/',
  body: { name: 'Files', type: 'local', source_url: 'file:///srv/files' },
};

const madeFor = [
  { query: 'object_type=dcim.site', finds: [0, 1] },
  { query: 'object_type__n=dcim.site', finds: [2] },
  { query: 'object_type_id=null', finds: [] },
];

/** Fixtures (test data) of templates, and of objects that are private to a user or shared. */
export const extrasFixtures: Readonly<Record<string, Fixture>> = {
  'extras.configtemplate': {
    surroundings: [tag, source],
    create: () => [
      {
        name: 'Delta 10',
        template_code: 'hostname {{ device.name }}',
        description: 'Routers',
        mime_type: 'text/html',
        file_name: 'startup',
        file_extension: 'cfg',
        tags: [{ slug: 'alpha' }],
      },
      { name: 'Delta 2', template_code: '{{ x }}', as_attachment: false, debug: true, data_source: { name: 'Files' } },
      { name: 'Echo', template_code: 'y', environment_params: { trim_blocks: true } },
    ],
    patch: { body: { debug: 'true', mime_type: 'text/css' }, shown: { debug: true, mime_type: 'text/css' } },
    nullable: { field: 'environment_params', value: { lstrip_blocks: true }, shown: { lstrip_blocks: true } },
    filters: [
      ...byName,
      { query: 'as_attachment=false', finds: [1] },
      { query: 'debug=true', finds: [1] },
      { query: 'auto_sync_enabled=true', finds: [] },
      { query: 'data_source_id=null', finds: [0, 2] },
      { query: 'data_file_id=null', finds: [0, 1, 2] },
      { query: 'file_name=startup&file_extension=cfg', finds: [0] },
      { query: 'mime_type__empty=true', finds: [1, 2] },
      { query: 'tag=alpha', finds: [0] },
      { query: 'q=routers', finds: [0] },
    ],
  },
  'extras.exporttemplate': {
    surroundings: [source],
    create: () => [
      { object_types: ['dcim.site'], name: 'Delta 10', template_code: '{{ queryset|length }}', file_name: 'sites' },
      { object_types: ['dcim.site', 'dcim.rack'], name: 'Delta 2', template_code: 'x', as_attachment: false },
      { object_types: ['ipam.vlan'], name: 'Echo', template_code: 'y', data_source: { name: 'Files' } },
    ],
    patch: { body: { file_extension: 'csv' }, shown: { file_extension: 'csv', name: 'Delta 10' } },
    nullable: { field: 'environment_params', value: { trim_blocks: true }, shown: { trim_blocks: true } },
    filters: [
      ...byName,
      ...madeFor,
      { query: 'object_type=dcim.rack&object_type=ipam.vlan', finds: [1, 2] },
      { query: 'as_attachment=false', finds: [1] },
      { query: 'auto_sync_enabled=false', finds: [0, 1, 2] },
      { query: 'auto_sync_enabled=true', finds: [] },
      { query: 'q=SITES', finds: [0] },
    ],
  },
  'extras.customlink': {
    create: () => [
      {
        object_types: ['dcim.site'],
        name: 'Delta 10',
        link_text: 'Map',
        link_url: 'https://maps.test/{{ object.id }}',
      },
      {
        object_types: ['dcim.site'],
        name: 'Delta 2',
        link_text: 'Wiki',
        link_url: 'https://wiki.test/',
        enabled: false,
        weight: 5,
        group_name: 'Docs',
        button_class: 'blue',
        new_window: true,
      },
      { object_types: ['ipam.vlan'], name: 'Echo', link_text: 'Graph', link_url: 'https://graph.test/' },
    ],
    patch: { body: { button_class: 'red' }, shown: { button_class: 'red' } },
    // The suite changes the description and the tags, which links do not have.
    untried: ['updated_by_request'],
    filters: [
      ...byName,
      ...madeFor,
      { query: 'enabled=false', finds: [1] },
      { query: 'new_window=true', finds: [1] },
      { query: 'weight__lt=100', finds: [1] },
      { query: 'group_name=Docs', finds: [1] },
      { query: 'button_class=blue', finds: [1] },
      { query: 'button_class=default&button_class=blue', finds: [1] },
      { query: 'link_text=Map&link_text=Wiki', finds: [1] },
      { query: 'link_url__isw=https://maps', finds: [0] },
      { query: 'q=docs', finds: [1] },
    ],
  },
  'extras.savedfilter': {
    surroundings: [user],
    create: (ids) => [
      { object_types: ['dcim.site'], name: 'Delta 10', slug: 'delta-10', parameters: { status: ['active'] } },
      {
        object_types: ['dcim.site'],
        name: 'Delta 2',
        slug: 'delta-2',
        parameters: {},
        user: ids['user'],
        shared: false,
        weight: 5,
      },
      { object_types: ['ipam.vlan'], name: 'Echo', slug: 'echo', parameters: { vid: 1 }, enabled: false },
    ],
    patch: { body: { parameters: { q: 'x' } }, shown: { parameters: { q: 'x' } } },
    nullable: { field: 'user', value: 1, shown: 1 },
    filters: [
      ...byName,
      ...madeFor,
      { query: 'slug=echo', finds: [2] },
      { query: 'shared=false', finds: [1] },
      { query: 'enabled=true', finds: [0, 1] },
      { query: 'weight__lte=5', finds: [1] },
      { query: 'user=ann', finds: [1] },
      { query: 'user_id=null', finds: [0, 2] },
      { query: 'usable=true', finds: [0] },
      { query: 'usable=false', finds: [1, 2] },
    ],
  },
  'extras.tableconfig': {
    surroundings: [user],
    create: (ids) => [
      { object_type: 'dcim.site', table: 'SiteTable', name: 'Delta 10', columns: ['name', 'status'] },
      {
        object_type: 'dcim.site',
        table: 'SiteTable',
        name: 'Delta 2',
        columns: ['name'],
        ordering: ['-name'],
        user: ids['user'],
        shared: false,
      },
      { object_type: 'ipam.vlan', table: 'VLANTable', name: 'Echo', columns: ['vid'], enabled: false, weight: 5 },
    ],
    patch: { body: { columns: ['slug', 'name'] }, shown: { columns: ['slug', 'name'] } },
    nullable: { field: 'ordering', value: ['name'], shown: ['name'] },
    filters: [
      ...byName,
      ...madeFor,
      { query: 'table=VLANTable', finds: [2] },
      { query: 'shared=false', finds: [1] },
      { query: 'user=ann', finds: [1] },
      { query: 'usable=true', finds: [0] },
      { query: 'weight=5', finds: [2] },
      { query: 'q=sitetable', finds: [0, 1] },
    ],
  },
  'extras.bookmark': {
    surroundings: [site, rack, user],
    create: (ids) => [
      { object_type: 'dcim.site', object_id: ids['site'], user: { username: 'root' } },
      { object_type: 'dcim.site', object_id: ids['site'], user: { username: 'ann' } },
      { object_type: 'tenancy.tenant', object_id: ids['tenant'], user: ids['admin'] },
    ],
    patch: { body: { user: { username: 'root' } }, shown: { display: 'Delta', user: { username: 'root' } } },
    filters: [
      ...madeFor.slice(0, 2),
      { query: 'object_id__gte=1', finds: [0, 1, 2] },
      { query: 'user=ann', finds: [1] },
      { query: 'user__n=ann', finds: [0, 2] },
      { query: 'created=2020-01-01', finds: [] },
    ],
  },
  'extras.notification': {
    surroundings: [site, rack, user],
    create: (ids) => [
      { object_type: 'dcim.site', object_id: ids['site'], user: ids['admin'], event_type: 'object_updated' },
      { object_type: 'dcim.site', object_id: ids['site'], user: ids['user'], event_type: 'object_deleted' },
      { object_type: 'tenancy.tenant', object_id: ids['tenant'], user: ids['admin'], event_type: 'job_failed' },
    ],
    patch: {
      body: { read: '2026-01-02T03:04:05Z' },
      shown: { read: '2026-01-02T03:04:05.000000Z', event_type: 'object_updated', display: 'Delta' },
    },
    nullable: { field: 'read', value: '2026-01-02 03:04', shown: '2026-01-02T03:04:00.000000Z' },
    filters: [],
  },
  'extras.notificationgroup': {
    surroundings: [user, { name: 'group', path: '/api/users/groups/', body: { name: 'Staff' } }],
    create: (ids) => [
      { name: 'Delta 10', users: [ids['user']], groups: [{ name: 'Staff' }] },
      { name: 'Delta 2', description: 'Nobody' },
      { name: 'Echo', users: [ids['admin'], ids['user']] },
    ],
    patch: { body: { users: [] }, shown: { users: [], groups: [{ name: 'Staff' }] } },
    filters: [],
  },
  'extras.subscription': {
    surroundings: [site, rack, user],
    create: (ids) => [
      { object_type: 'dcim.site', object_id: ids['site'], user: ids['admin'] },
      { object_type: 'dcim.site', object_id: ids['site'], user: ids['user'] },
      { object_type: 'tenancy.tenant', object_id: ids['tenant'], user: ids['admin'] },
    ],
    patch: { body: {}, shown: { display: 'Delta', object: { slug: 'delta' } } },
    filters: [],
  },
  'extras.journalentry': {
    surroundings: [site, rack, user, tag],
    create: (ids) => [
      {
        assigned_object_type: 'dcim.site',
        assigned_object_id: ids['site'],
        comments: 'Power was lost',
        kind: 'danger',
      },
      { assigned_object_type: 'dcim.site', assigned_object_id: ids['site'], comments: 'Back', created_by: ids['user'] },
      {
        assigned_object_type: 'tenancy.tenant',
        assigned_object_id: ids['tenant'],
        comments: 'New',
        tags: [{ slug: 'alpha' }],
      },
    ],
    patch: {
      body: { kind: 'warning', created_by: 2 },
      shown: { kind: { value: 'warning', label: 'Warning' }, created_by: 1 },
    },
    filters: [
      { query: 'assigned_object_type=dcim.site', finds: [0, 1] },
      { query: 'assigned_object_type__n=dcim.site', finds: [2] },
      { query: 'assigned_object_type_id=null', finds: [] },
      { query: 'assigned_object_id__gt=999', finds: [] },
      { query: 'created_after=2020-01-01', finds: [0, 1, 2] },
      { query: 'created_before=2020-01-01', finds: [] },
      { query: 'created_before=2999-01-01', finds: [0, 1, 2] },
      { query: 'created_by=ann', finds: [1] },
      { query: 'created_by_id=1', finds: [0, 2] },
      { query: 'kind=danger', finds: [0] },
      { query: 'tag=alpha', finds: [2] },
      { query: 'q=POWER', finds: [0] },
    ],
  },
};
