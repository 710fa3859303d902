import { defineModel } from '../../engine/declaration/define-model.js';
import { referencePathFilters } from '../../engine/filter/path-filter.js';
import { resolveStepToGenericTarget } from '../../engine/filter/resolve-reference-path.js';
import { choiceField } from '../../engine/field-types/choice.js';
import { genericObjectField } from '../../engine/field-types/generic-object.js';
import { integerField } from '../../engine/field-types/number.js';
import { objectTypeField } from '../../engine/field-types/object-type.js';
import { referenceField } from '../../engine/field-types/relation.js';
import * as common from '../shared-model-fields.js';
import { topologyRoleChoices } from '../topology-roles.js';

const tunnelTerminationTypes = ['dcim.interface', 'virtualization.vminterface'];

/** Model of a tunnel termination: an interface at the end of a VPN tunnel. */
export const tunnelTerminationModel = defineModel('vpn.tunneltermination', {
  path: 'vpn/tunnel-terminations',
  objectName: 'TunnelTermination',
  verboseName: 'tunnel termination',
  verboseNamePlural: 'tunnel terminations',
  fields: {
    ...common.identityFields,
    tunnel: referenceField('vpn.tunnel', { required: true, onDelete: 'cascade', filterBy: 'name' }),
    role: choiceField(topologyRoleChoices, { required: true, default: 'peer' }),
    termination_type: objectTypeField(tunnelTerminationTypes, { required: true }),
    termination_id: integerField({ nullable: true, min: 0 }),
    termination: genericObjectField({
      type: 'termination_type',
      id: 'termination_id',
      allowed: tunnelTerminationTypes,
    }),
    outside_ip: referenceField('ipam.ipaddress', { nullable: true, filterBy: null }),
    tags: common.objectTagsField,
    custom_fields: common.objectCustomFieldsField,
    ...common.creationTimeFields,
  },
  relatedTo: 'tunnel',
  display: (alias) =>
    `(SELECT tunnel.name FROM vpn_tunnel tunnel WHERE tunnel.id = ${alias}.tunnel_id) || ': Termination ' || ${alias}.id`,
  brief: ['id', 'url', 'display'],
  order: [{ field: 'tunnel' }, { field: 'role' }],
  search: [common.createOtherTableSearchTerms('vpn_tunneltermination', 'tunnel_id', 'vpn_tunnel', 'name')],
  filters: [
    referencePathFilters('interface', [resolveStepToGenericTarget('termination', 'dcim.interface')], 'name'),
    referencePathFilters(
      'vminterface',
      [resolveStepToGenericTarget('termination', 'virtualization.vminterface')],
      'name',
    ),
  ],
  constraints: [
    { name: 'vpn_tunneltermination_attached', key: 'termination' },
    {
      name: 'vpn_tunneltermination_termination_type_termination_id_key',
      fields: ['termination_type', 'termination_id'],
      message: 'An object may be terminated to only one tunnel at a time.',
    },
  ],
});
