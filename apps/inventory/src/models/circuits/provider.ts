import { defineModel } from '../../engine/declaration/model.js';
import { countOf } from '../../engine/kinds/computed.js';
import { many, manyFilters } from '../../engine/kinds/many.js';
import { reverse } from '../../engine/kinds/relation.js';
import * as common from '../field-groups.js';
import { asnsByNumber } from '../ipam/asn-numbers.js';

const asns = { table: 'circuits_provider_asns', own: 'provider_id', other: 'asn_id' };

/** Who sells circuits. */
export const provider = defineModel('circuits.provider', {
  path: 'circuits/providers',
  objectName: 'Provider',
  verboseName: 'provider',
  verboseNamePlural: 'providers',
  fields: {
    ...common.identity,
    name: common.requiredName,
    slug: common.requiredSlug,
    // DRAFT field: accounts can be written by ids
    accounts: reverse('circuits.provideraccount', 'provider'),
    description: common.description,
    owner: common.owner,
    comments: common.comments,
    asns: many('ipam.asn', { join: asns }),
    tags: common.tags,
    custom_fields: common.customFieldValues,
    ...common.times,
    circuit_count: countOf('circuits.circuit', { via: 'provider' }),
  },
  display: (alias) => `${alias}.name`,
  brief: ['id', 'url', 'display', 'name', 'slug', 'description', 'circuit_count'],
  nested: ['id', 'url', 'display', 'name', 'slug', 'description'],
  order: [{ field: 'name' }],
  search: common.searchIn('name', 'description', 'comments'),
  constraints: [
    { name: 'circuits_provider_name_key', fields: ['name'] },
    { name: 'circuits_provider_slug_key', fields: ['slug'] },
  ],
  // DRAFT rules: accounts is a reverse list (PK in, nested out); delete refused while circuits, networks or accounts use it
  // DRAFT filters: contact (object_multi, n), contact_role (object_multi, n), contact_group (tree_node, n): by contact assignments
  // DRAFT filters: region_id (tree_node, n): path circuits.terminations._region
  // DRAFT filters: region (tree_node, n): path circuits.terminations._region
  // DRAFT filters: site_group_id (tree_node, n): path circuits.terminations._site_group
  // DRAFT filters: site_group (tree_node, n): path circuits.terminations._site_group
  // DRAFT filters: site_id (object_multi, n): path circuits.terminations._site
  // DRAFT filters: site (object_multi, n): path circuits.terminations._site.slug
  filters: manyFilters('asn', asnsByNumber, asns, 'asn'),
});
