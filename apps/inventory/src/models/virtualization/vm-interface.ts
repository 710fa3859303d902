import { defineModel } from '../../engine/declaration/define-model.js';
import { referencePathFilters } from '../../engine/filter/path-filter.js';
import { booleanField } from '../../engine/field-types/boolean.js';
import { manyToManyField } from '../../engine/field-types/many-to-many.js';
import { referenceField } from '../../engine/field-types/relation.js';
import { textField } from '../../engine/field-types/text.js';
import * as common from '../shared-model-fields.js';
import * as shared from '../interface-fields.js';

const taggedVlansJoinTable = {
  table: 'virtualization_vminterface_tagged_vlans',
  own: 'vminterface_id',
  other: 'vlan_id',
};

/**
 * Field with the virtual machine of an interface. Responses show the field when the interface is nested in another
 * interface.
 */
const virtualMachineReference = referenceField('virtualization.virtualmachine', {
  shape: ['id', 'url', 'display_url', 'display', 'name'],
});

/** Fields that an interface of a virtual machine shows when it is nested in another interface of the same machine. */
const relatedInterfaceFieldNames = {
  ...common.identityFields,
  virtual_machine: virtualMachineReference,
  name: textField(),
};

/** Model of a network interface of a virtual machine. */
export const vmInterfaceModel = defineModel('virtualization.vminterface', {
  path: 'virtualization/interfaces',
  objectName: 'VMInterface',
  verboseName: 'interface',
  verboseNamePlural: 'interfaces',
  fields: {
    ...common.identityFields,
    virtual_machine: referenceField('virtualization.virtualmachine', {
      required: true,
      onDelete: 'cascade',
      filterBy: 'name',
    }),
    name: textField({ max: 64, required: true }),
    enabled: booleanField({ default: true }),
    parent: referenceField('virtualization.vminterface', {
      nullable: true,
      filterBy: null,
      shape: relatedInterfaceFieldNames,
    }),
    bridge: referenceField('virtualization.vminterface', {
      nullable: true,
      onDelete: 'set_null',
      filterBy: null,
      shape: relatedInterfaceFieldNames,
    }),
    mtu: shared.interfaceMtuField,
    mac_address: shared.primaryMacAddressTextField,
    primary_mac_address: shared.primaryMacAddressField,
    mac_addresses: shared.macAddressesField,
    description: common.descriptionField,
    mode: shared.vlanModeField,
    untagged_vlan: shared.untaggedVlanField,
    tagged_vlans: manyToManyField('ipam.vlan', { join: taggedVlansJoinTable }),
    qinq_svlan: shared.qinqSvlanField,
    vlan_translation_policy: shared.vlanTranslationPolicyField,
    vrf: shared.interfaceVrfField,
    l2vpn_termination: shared.l2vpnTerminationField,
    owner: common.ownerField,
    tags: common.objectTagsField,
    custom_fields: common.objectCustomFieldsField,
    ...common.creationTimeFields,
    count_ipaddresses: shared.ipAddressCountField,
    count_fhrp_groups: shared.fhrpGroupCountField,
  },
  rereadAfterUpdate: true,
  relatedTo: 'virtual_machine',
  display: (alias) => `${alias}.name`,
  brief: ['id', 'url', 'display', 'virtual_machine', 'name', 'description'],
  order: [{ field: 'virtual_machine' }, { sql: (alias) => `${alias}._order` }],
  search: common.createFieldSearchTerms('name', 'description'),
  constraints: [
    { name: 'virtualization_vminterface_primary_mac_address_id_key', fields: ['primary_mac_address'] },
    { name: 'dcim_primary_mac_address', key: 'primary_mac_address' },
    { name: 'virtualization_vminterface_virtual_machine_id_name_key', fields: ['virtual_machine', 'name'] },
    { name: 'virtualization_vminterface_parent', key: 'parent' },
    { name: 'virtualization_vminterface_bridge', key: 'bridge' },
    { name: 'virtualization_vminterface_untagged_vlan', key: 'untagged_vlan' },
    { name: taggedVlansJoinTable.table, key: 'tagged_vlans' },
  ],
  rules: [
    ({ mode, qinq_svlan: service }) =>
      typeof service === 'number' && mode !== 'q-in-q'
        ? { qinq_svlan: ['Only Q-in-Q interfaces may specify a service VLAN.'] }
        : null,
  ],
  filters: [
    ...shared.createInterfaceVlanFilters(taggedVlansJoinTable),
    ...shared.interfaceL2vpnFilters,
    shared.macAddressFilter,
    referencePathFilters('cluster', 'virtual_machine.cluster', 'name'),
  ],
});
