import { defineModel } from '../../engine/declaration/model.js';
import { choice } from '../../engine/kinds/choice.js';
import { date } from '../../engine/kinds/date.js';
import { decimal, integer } from '../../engine/kinds/number.js';
import { ref } from '../../engine/kinds/relation.js';
import { reverseGeneric } from '../../engine/kinds/reverse-generic.js';
import { text } from '../../engine/kinds/text.js';
import * as common from '../field-groups.js';
import { tenantGroupFilters } from '../tenancy/tenant.js';
import { distanceUnits } from '../units.js';
import { circuitStatus } from './circuit-status.js';

/** A line between two places that a provider sells. */
export const circuit = defineModel('circuits.circuit', {
  path: 'circuits/circuits',
  objectName: 'Circuit',
  verboseName: 'circuit',
  verboseNamePlural: 'circuits',
  fields: {
    ...common.identity,
    cid: text({ max: 100, required: true, label: 'circuit ID' }),
    provider: ref('circuits.provider', { required: true }),
    provider_account: ref('circuits.provideraccount', { nullable: true, filterBy: null }),
    type: ref('circuits.circuittype', { required: true }),
    status: choice(circuitStatus, { default: 'active' }),
    tenant: ref('tenancy.tenant', { nullable: true }),
    install_date: date({ nullable: true, label: 'installed' }),
    termination_date: date({ nullable: true, label: 'terminates' }),
    commit_rate: integer({ nullable: true, min: 0, max: 2_147_483_647, label: 'commit rate (Kbps)' }),
    description: common.description,
    distance: decimal({ digits: 8, places: 2, nullable: true }),
    distance_unit: choice(distanceUnits, { nullable: true, filterSingle: true }),
    termination_a: ref('circuits.circuittermination', {
      nullable: true,
      readOnly: true,
      onDelete: 'set_null',
      filterBy: null,
    }),
    termination_z: ref('circuits.circuittermination', {
      nullable: true,
      readOnly: true,
      onDelete: 'set_null',
      filterBy: null,
    }),
    owner: common.owner,
    comments: common.comments,
    tags: common.tags,
    custom_fields: common.customFieldValues,
    ...common.times,
    assignments: reverseGeneric('circuits.circuitgroupassignment', { type: 'member_type', id: 'member_id' }),
  },
  display: (alias) => `${alias}.cid`,
  brief: ['id', 'url', 'display', 'provider', 'cid', 'description'],
  nested: ['id', 'url', 'display', 'cid', 'provider', 'description'],
  order: [{ field: 'provider' }, { field: 'provider_account' }, { field: 'cid' }],
  // DRAFT search: and terminations.xconnect_id, terminations.pp_info, terminations.description
  search: common.searchIn('cid', 'description', 'comments'),
  constraints: [
    { name: 'circuits_circuit_provider_id_cid_key', fields: ['provider', 'cid'] },
    { name: 'circuits_circuit_provider_account_id_cid_key', fields: ['provider_account', 'cid'] },
  ],
  // DRAFT rules: cid unique per provider and per provider account; account must belong to the provider; termination_a/z are caches kept by the termination
  // DRAFT filters: contact (object_multi, n), contact_role (object_multi, n), contact_group (tree_node, n): by contact assignments
  // DRAFT filters: provider_account (object_multi, n): path provider_account.account
  // DRAFT filters: provider_network_id (object_multi, n): path terminations._provider_network
  // DRAFT filters: region_id (tree_node, n): path terminations._region
  // DRAFT filters: region (tree_node, n): path terminations._region
  // DRAFT filters: site_group_id (tree_node, n): path terminations._site_group
  // DRAFT filters: site_group (tree_node, n): path terminations._site_group
  // DRAFT filters: site_id (object_multi, n): path terminations._site
  // DRAFT filters: site (object_multi, n): path terminations._site.slug
  // DRAFT filters: location_id (object_multi, n): path terminations._location
  filters: tenantGroupFilters,
});
