import { defineModel } from '../../engine/declaration/model.js';
import { choice } from '../../engine/kinds/choice.js';
import { genericObject } from '../../engine/kinds/generic-object.js';
import { integer } from '../../engine/kinds/number.js';
import { objectType } from '../../engine/kinds/object-type.js';
import { ref } from '../../engine/kinds/relation.js';
import * as common from '../field-groups.js';
import { cableEnds } from './cabled-fields.js';

const { id, url, display } = common.identity;

const terminationTypes = [
  'circuits.circuittermination',
  'dcim.consoleport',
  'dcim.consoleserverport',
  'dcim.frontport',
  'dcim.interface',
  'dcim.powerfeed',
  'dcim.poweroutlet',
  'dcim.powerport',
  'dcim.rearport',
];

/** One end of a cable. */
export const cableTermination = defineModel('dcim.cabletermination', {
  path: 'dcim/cable-terminations',
  objectName: 'CableTermination',
  verboseName: 'cable termination',
  verboseNamePlural: 'cable terminations',
  methods: { list: ['GET', 'HEAD', 'OPTIONS'], detail: ['GET', 'HEAD', 'OPTIONS'] },
  fields: {
    id,
    url,
    display,
    // DRAFT field: cable is shown as a bare id
    cable: ref('dcim.cable', { readOnly: true, onDelete: 'cascade', filterBy: 'id' }),
    cable_end: choice(cableEnds, { readOnly: true, raw: true, filterSingle: true, label: 'end' }),
    termination_type: objectType(terminationTypes, { readOnly: true }),
    termination_id: integer({ readOnly: true }),
    termination: genericObject({ type: 'termination_type', id: 'termination_id', allowed: terminationTypes }),
    connector: integer({ nullable: true, readOnly: true, filterable: false }),
    // DRAFT field: positions (list of IntegerField)
    ...common.times,
  },
  relatedTo: 'termination',
  // DRAFT display: what the object is called is more than this
  display: (alias) =>
    `'Cable #' || ${alias}.cable_id || ' to ' || ${alias}.termination_type || ' ' || ${alias}.termination_id`,
  // DRAFT brief: and positions
  brief: ['id', 'url', 'display', 'cable', 'cable_end', 'connector', 'termination_type', 'termination_id'],
  // DRAFT nested: and positions
  nested: ['id', 'url', 'display', 'cable', 'cable_end', 'termination_type', 'termination_id', 'connector'],
  order: [{ field: 'cable' }, { field: 'cable_end' }, { field: 'connector' }],
  constraints: [
    {
      name: 'dcim_cabletermination_termination_type_termination_id_key',
      fields: ['termination_type', 'termination_id'],
    },
    { name: 'dcim_cabletermination_cable_id_cable_end_connector_key', fields: ['cable', 'cable_end', 'connector'] },
  ],
  // DRAFT rules: read only; one per end object; connector and positions set by the cable profile
  // DRAFT filters: consoleport_id (integer, no lookups): terminates on that consoleport id
  // DRAFT filters: consoleserverport_id (integer, no lookups): terminates on that consoleserverport id
  // DRAFT filters: powerport_id (integer, no lookups): terminates on that powerport id
  // DRAFT filters: poweroutlet_id (integer, no lookups): terminates on that poweroutlet id
  // DRAFT filters: interface_id (integer, no lookups): terminates on that interface id
  // DRAFT filters: frontport_id (integer, no lookups): terminates on that frontport id
  // DRAFT filters: rearport_id (integer, no lookups): terminates on that rearport id
  // DRAFT filters: powerfeed_id (integer, no lookups): terminates on that powerfeed id
  // DRAFT filters: circuittermination_id (integer, no lookups): terminates on that circuittermination id
  // DRAFT filters: cable: multiple true, as documented false (object)
});
