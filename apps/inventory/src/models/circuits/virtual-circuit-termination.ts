import { defineModel } from '../../engine/declaration/define-model.js';
import { referencePathFilters } from '../../engine/filter/path-filter.js';
import { choiceField } from '../../engine/field-types/choice.js';
import { referenceField } from '../../engine/field-types/relation.js';
import * as common from '../shared-model-fields.js';
import { topologyRoleChoices } from '../topology-roles.js';

/** Model of a virtual circuit termination: an interface at which a virtual circuit ends. */
export const virtualCircuitTerminationModel = defineModel('circuits.virtualcircuittermination', {
  path: 'circuits/virtual-circuit-terminations',
  objectName: 'VirtualCircuitTermination',
  verboseName: 'virtual circuit termination',
  verboseNamePlural: 'virtual circuit terminations',
  fields: {
    ...common.identityFields,
    virtual_circuit: referenceField('circuits.virtualcircuit', { required: true, onDelete: 'cascade', filterBy: null }),
    role: choiceField(topologyRoleChoices, { default: 'peer' }),
    interface: referenceField('dcim.interface', { required: true, onDelete: 'cascade', filterBy: null }),
    description: common.descriptionField,
    tags: common.objectTagsField,
    custom_fields: common.objectCustomFieldsField,
    ...common.creationTimeFields,
  },
  relatedTo: 'virtual_circuit',
  display: (alias) =>
    `(SELECT c.cid FROM circuits_virtualcircuit c WHERE c.id = ${alias}.virtual_circuit_id) || ': ' || initcap(${alias}.role) || ' termination'`,
  brief: ['id', 'url', 'display', 'virtual_circuit', 'role', 'interface', 'description'],
  order: [{ field: 'virtual_circuit' }, { field: 'role' }],
  search: [
    common.createOtherTableSearchTerms(
      'circuits_virtualcircuittermination',
      'virtual_circuit_id',
      'circuits_virtualcircuit',
      'cid',
    ),
    { sql: (alias) => `${alias}.description`, lookup: 'icontains' },
  ],
  constraints: [
    { name: 'circuits_virtualcircuittermination_interface_id_key', fields: ['interface'] },
    {
      name: 'circuits_virtualcircuittermination_interface_type',
      key: '__all__',
      message: 'Virtual circuits may be terminated only to virtual interfaces.',
    },
  ],
  filters: [
    referencePathFilters('provider', 'virtual_circuit.provider_network.provider'),
    referencePathFilters('provider_account', 'virtual_circuit.provider_account', 'account'),
    referencePathFilters('provider_network', 'virtual_circuit.provider_network', null),
  ],
});
