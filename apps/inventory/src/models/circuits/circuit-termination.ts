import { defineModel } from '../../engine/declaration/model.js';
import { booleanFilter } from '../../engine/filter/boolean-filter.js';
import { choice } from '../../engine/kinds/choice.js';
import { genericObject } from '../../engine/kinds/generic-object.js';
import { integer } from '../../engine/kinds/number.js';
import { objectType } from '../../engine/kinds/object-type.js';
import { ref } from '../../engine/kinds/relation.js';
import { text } from '../../engine/kinds/text.js';
import * as cabled from '../dcim/cabled-fields.js';
import * as common from '../field-groups.js';

const terminationTypes = ['circuits.providernetwork', 'dcim.location', 'dcim.region', 'dcim.site', 'dcim.sitegroup'];

/** One of the two ends of a circuit, and where it is. */
export const circuitTermination = defineModel('circuits.circuittermination', {
  path: 'circuits/circuit-terminations',
  objectName: 'CircuitTermination',
  verboseName: 'circuit termination',
  verboseNamePlural: 'circuit terminations',
  fields: {
    ...common.identity,
    circuit: ref('circuits.circuit', { required: true, onDelete: 'cascade', filterBy: null }),
    term_side: choice({ A: 'A', Z: 'Z' }, { required: true, raw: true, filterSingle: true, label: 'termination side' }),
    termination_type: objectType(terminationTypes, { nullable: true }),
    termination_id: integer({ nullable: true, min: 0 }),
    termination: genericObject({ type: 'termination_type', id: 'termination_id', allowed: terminationTypes }),
    port_speed: integer({ nullable: true, min: 0, max: 2_147_483_647, label: 'port speed (Kbps)' }),
    upstream_speed: integer({ nullable: true, min: 0, max: 2_147_483_647, label: 'upstream speed (Kbps)' }),
    xconnect_id: text({ max: 50, label: 'cross-connect ID' }),
    pp_info: text({ max: 100, label: 'patch panel/port(s)' }),
    description: common.description,
    ...cabled.cableFields,
    // DRAFT field: link_peers (computed); link_peers_type (computed)
    tags: common.tags,
    custom_fields: common.customFieldValues,
    ...common.times,
    _occupied: cabled.occupied,
  },
  relatedTo: 'circuit',
  // DRAFT display: what the object is called is more than this
  display: (alias) =>
    `(SELECT c.cid FROM circuits_circuit c WHERE c.id = ${alias}.circuit_id) || ': Termination ' || ${alias}.term_side`,
  brief: ['id', 'url', 'display', 'circuit', 'term_side', 'description', 'cable', '_occupied'],
  order: [{ field: 'circuit' }, { field: 'term_side' }],
  search: [
    { sql: (alias) => `(SELECT r.cid FROM circuits_circuit r WHERE r.id = ${alias}.circuit_id)`, lookup: 'icontains' },
    { sql: (alias) => `${alias}.xconnect_id`, lookup: 'icontains' },
    { sql: (alias) => `${alias}.pp_info`, lookup: 'icontains' },
    { sql: (alias) => `${alias}.description`, lookup: 'icontains' },
  ],
  constraints: [{ name: 'circuits_circuittermination_circuit_id_term_side_key', fields: ['circuit', 'term_side'] }],
  // DRAFT rules: one per circuit and side (A or Z; wire is the bare letter); must attach to a site, location, region, site group or provider network; provider-network ends cannot be cabled; moving circuit or side clears the cache of the old circuit
  // DRAFT filters: cable_connector (integer, n lte lt gte gt empty)
  // DRAFT filters: region_id (tree_node, n): path _region
  // DRAFT filters: region (tree_node, n): path _region
  // DRAFT filters: site_group_id (tree_node, n): path _site_group
  // DRAFT filters: site_group (tree_node, n): path _site_group
  // DRAFT filters: site_id (object_multi, n): path _site
  // DRAFT filters: site (object_multi, n): path _site.slug
  // DRAFT filters: location_id (tree_node, n): path _location
  // DRAFT filters: location (tree_node, n): path _location
  // DRAFT filters: provider_network_id (object_multi, n): path _provider_network
  // DRAFT filters: provider_id (object_multi, n): path circuit.provider_id
  // DRAFT filters: provider (object_multi, n): path circuit.provider.slug
  filters: [
    booleanFilter('cabled', (alias) => `(${alias}.cable_id IS NOT NULL)`),
    booleanFilter('occupied', (alias) => `(${alias}.mark_connected OR ${alias}.cable_id IS NOT NULL)`),
  ],
});
