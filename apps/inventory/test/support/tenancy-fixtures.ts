import type { Fixture } from './describe-model.js';

const groups = ['North', 'South'].map((name) => ({
  name,
  path: '/api/tenancy/contact-groups/',
  body: { name, slug: name.toLowerCase(), ...(name === 'South' ? { parent: { slug: 'north' } } : {}) },
}));

/** Fixtures (test data) of contacts, tenants and owners. */
export const tenancyFixtures: Readonly<Record<string, Fixture>> = {
  'tenancy.contactgroup': {
    create: () => [
      { name: 'Delta 10', slug: 'delta-10' },
      { name: 'Delta 2', slug: 'delta-2', comments: 'second' },
      { name: 'Echo', slug: 'echo' },
    ],
    patch: { body: { name: 'Renamed' }, shown: { name: 'Renamed', contact_count: 0, _depth: 0 } },
    nullable: { field: 'parent', value: { slug: 'echo' }, shown: { slug: 'echo', _depth: 0 } },
    filters: [
      { query: 'slug=echo', finds: [2] },
      { query: 'parent_id=null', finds: [0, 1, 2] },
      { query: 'ancestor=echo', finds: [] },
      { query: 'contact_id=null', finds: [0, 1, 2] },
      { query: 'q=second', finds: [1] },
    ],
  },
  'tenancy.contactrole': {
    create: () => [
      { name: 'Delta 10', slug: 'delta-10' },
      { name: 'Delta 2', slug: 'delta-2', description: 'second' },
      { name: 'Echo', slug: 'echo' },
    ],
    patch: { body: { slug: 'renamed' }, shown: { slug: 'renamed' } },
    filters: [
      { query: 'slug=echo', finds: [2] },
      { query: 'q=second', finds: [1] },
    ],
  },
  'tenancy.contact': {
    surroundings: groups,
    create: ({ North, South }) => [
      { name: 'Delta 10', groups: [North], title: 'Head', phone: '+31 20', email: 'delta@example.com' },
      { name: 'Delta 2', groups: [{ slug: 'south' }, South], address: 'Somewhere 1', link: 'https://example.com/' },
      { name: 'Echo', comments: 'third' },
    ],
    patch: { body: { groups: [], email: 'new@example.com' }, shown: { groups: [], email: 'new@example.com' } },
    filters: [
      { query: 'group=north', finds: [0, 1] },
      { query: 'group=south', finds: [1] },
      { query: 'group_id=null', finds: [2] },
      { query: 'title=Head', finds: [0] },
      { query: 'phone__isw=%2B31', finds: [0] },
      { query: 'email__ic=EXAMPLE', finds: [0] },
      { query: 'address__empty=false', finds: [1] },
      { query: 'link__iew=.com/', finds: [1] },
      { query: 'q=third', finds: [2] },
    ],
  },
  'tenancy.contactassignment': {
    surroundings: [
      ...groups,
      { name: 'site', path: '/api/dcim/sites/', body: { name: 'Amsterdam', slug: 'amsterdam' } },
      { name: 'tunnel', path: '/api/vpn/tunnel-groups/', body: { name: 'Wide', slug: 'wide' } },
      { name: 'owner', path: '/api/tenancy/contact-roles/', body: { name: 'Owner', slug: 'owner' } },
      { name: 'guard', path: '/api/tenancy/contact-roles/', body: { name: 'Guard', slug: 'guard' } },
      { name: 'Alice', path: '/api/tenancy/contacts/', body: { name: 'Alice', groups: [{ slug: 'south' }] } },
      { name: 'Bob', path: '/api/tenancy/contacts/', body: { name: 'Bob' } },
    ],
    create: ({ site, tunnel, Alice, Bob, owner }) => [
      { object_type: 'dcim.site', object_id: site, contact: Alice, role: owner, priority: 'primary' },
      { object_type: 'dcim.site', object_id: site, contact: { name: 'Bob' }, role: { slug: 'guard' }, priority: '' },
      { object_type: 'vpn.tunnelgroup', object_id: tunnel, contact: Bob, role: owner },
    ],
    patch: {
      body: { priority: 'tertiary' },
      shown: {
        priority: { value: 'tertiary', label: 'Tertiary' },
        display: 'Alice (Tertiary) -> Amsterdam',
      },
    },
    nullable: { field: 'priority', value: 'inactive', shown: { value: 'inactive', label: 'Inactive' } },
    filters: [
      { query: 'object_type=dcim.site', finds: [0, 1] },
      { query: 'object_id__gte=1&object_type=vpn.tunnelgroup', finds: [2] },
      { query: 'contact_id=null', finds: [] },
      { query: 'group=north', finds: [0] },
      { query: 'group_id=null', finds: [1, 2] },
      { query: 'role=guard', finds: [1] },
      { query: 'priority=primary', finds: [0] },
      { query: 'q=bob', finds: [1, 2] },
      { query: 'q=guard', finds: [1] },
    ],
  },
  'users.ownergroup': {
    create: () => [{ name: 'Delta 10' }, { name: 'Delta 2', description: 'second' }, { name: 'Echo' }],
    patch: { body: { name: 'Renamed' }, shown: { name: 'Renamed', display: 'Renamed', member_count: 0 } },
    filters: [
      { query: 'name=Echo', finds: [2] },
      { query: 'q=second', finds: [1] },
    ],
  },
  'users.owner': {
    surroundings: [
      { name: 'group', path: '/api/users/owner-groups/', body: { name: 'Network' } },
      { name: 'team', path: '/api/users/groups/', body: { name: 'Team' } },
    ],
    create: ({ group, team, admin }) => [
      { name: 'Delta 10', group, user_groups: [team] },
      { name: 'Delta 2', group: { name: 'Network' }, users: [admin] },
      { name: 'Echo', group: null, description: 'third' },
    ],
    patch: { body: { user_groups: [] }, shown: { user_groups: [] } },
    nullable: { field: 'group', value: { name: 'Network' }, shown: { name: 'Network' } },
    filters: [
      { query: 'group=Network', finds: [0, 1] },
      { query: 'group_id=null', finds: [2] },
      { query: 'user_group=Team', finds: [0] },
      { query: 'user_group_id=null', finds: [1, 2] },
      { query: 'user=root', finds: [1] },
      { query: 'user_id=null', finds: [0, 2] },
      { query: 'q=third', finds: [2] },
    ],
  },
  'core.datasource': {
    create: () => [
      { name: 'Delta 10', type: 'local', source_url: 'file:///srv/files', sync_interval: 60 },
      { name: 'Delta 2', type: 'git', source_url: 'https://example.com/x.git', parameters: { branch: 'main' } },
      { name: 'Echo', type: 'amazon-s3', source_url: 'https://example.com/bucket', enabled: false, comments: 'third' },
    ],
    patch: {
      body: { type: 'local', source_url: '/srv/other', ignore_rules: '*.bak' },
      shown: { type: { value: 'local', label: 'Local' }, source_url: '/srv/other', ignore_rules: '*.bak' },
    },
    nullable: { field: 'sync_interval', value: 1440, shown: 1440 },
    untried: ['tag', 'tag_id'],
    filters: [
      { query: 'type=git', finds: [1] },
      { query: 'source_url__isw=https', finds: [1, 2] },
      { query: 'enabled=false', finds: [2] },
      { query: 'status=new', finds: [1, 2] },
      { query: 'sync_interval=60', finds: [0] },
      { query: 'last_synced__empty=true', finds: [0, 1, 2] },
      { query: 'q=third', finds: [2] },
    ],
  },
};
