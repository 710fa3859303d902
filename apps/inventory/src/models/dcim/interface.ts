import { cablePathsAfterWriteHook } from '../../cable-paths/index.js';
import { defineModel } from '../../engine/declaration/define-model.js';
import { booleanField } from '../../engine/field-types/boolean.js';
import { choiceField } from '../../engine/field-types/choice.js';
import { manyToManyField } from '../../engine/field-types/many-to-many.js';
import { worldWideNameField } from '../../engine/field-types/hardware-address-fields.js';
import { decimalField, integerField } from '../../engine/field-types/number.js';
import { referenceField, reverseReferencesField } from '../../engine/field-types/relation.js';
import { textField } from '../../engine/field-types/text.js';
import * as common from '../shared-model-fields.js';
import * as shared from '../interface-fields.js';
import * as cabled from './cabled-fields.js';
import * as component from './device-component-fields.js';
import { deviceFiltersOfComponents } from './device-component-filters.js';
import { componentModuleDeviceConstraint, checkComponentDeviceUnchanged } from './device-component-rules.js';
import { powerOverEthernetModes, powerOverEthernetTypes, wirelessRoles } from './interface-choices.js';
import { interfaceFilters } from './interface-filters.js';
import {
  checkInterfaceVlanMode,
  parseWirelessChannel,
  checkParentNeedsVirtualInterface,
  checkCableNeedsPhysicalInterface,
  checkChannelNeedsWirelessInterface,
} from './interface-network-rules.js';
import { interfaceTypeRules } from './interface-rules.js';
import { interfaceTypes } from './interface-types.js';
import { parentDeviceFieldNames } from './parent-device-field.js';
import { wirelessChannels } from './wireless-channels.js';

const interfaceDuplexChoices = { half: 'Half', full: 'Full', auto: 'Auto' };

const createInterfaceOccupiedCondition = (alias: string): string =>
  `(${alias}.mark_connected OR ${alias}.cable_id IS NOT NULL OR ${alias}.wireless_link_id IS NOT NULL)`;

/** SQL expressions for the interface at the other end of an interface's wireless link. */
const wirelessPeerSql: cabled.PeerWithoutCableSql = {
  of: 'dcim.interface',
  found: (alias) => ({
    type: `CASE WHEN ${alias}.wireless_link_id IS NOT NULL THEN 'dcim.interface' END`,
    id: `(SELECT CASE ${alias}.id WHEN l.interface_a_id THEN l.interface_b_id ELSE l.interface_a_id END FROM wireless_wirelesslink l WHERE l.id = ${alias}.wireless_link_id)`,
  }),
};

/**
 * SQL for the virtual circuit terminations that a virtual circuit connects with an interface. Terminations with the
 * role hub are connected with terminations with the role spoke.
 */
const virtualCircuitPeersSql: cabled.EndsWithoutCablePath = {
  of: 'circuits.virtualcircuittermination',
  exist: 'EXISTS (SELECT FROM circuits_virtualcircuittermination)',
  when: (alias) => `${alias}.type IN ('virtual', 'bridge', 'lag')`,
  found: (alias) => `SELECT p.id FROM circuits_virtualcircuittermination o JOIN circuits_virtualcircuittermination p
      ON p.virtual_circuit_id = o.virtual_circuit_id AND p.id <> o.id
        AND p.role = CASE o.role WHEN 'hub' THEN 'spoke' WHEN 'spoke' THEN 'hub' ELSE 'peer' END
    WHERE o.interface_id = ${alias}.id`,
};

/** Fields that an interface shows of its parent, bridge and link aggregation group, which are nested interfaces. */
const relatedInterfaceFieldNames = {
  ...common.identityFields,
  device: referenceField('dcim.device', { shape: parentDeviceFieldNames }),
  name: component.componentNameField,
  cable: cabled.componentCableFields.cable,
  _occupied: cabled.createOccupiedFieldWithCondition(createInterfaceOccupiedCondition),
};

/** Model of a network interface of a device. */
export const networkInterfaceModel = defineModel('dcim.interface', {
  path: 'dcim/interfaces',
  objectName: 'Interface',
  verboseName: 'interface',
  verboseNamePlural: 'interfaces',
  resetOnPut: ['wwn'],
  fields: {
    ...common.identityFields,
    device: component.sortedComponentDeviceField,
    vdcs: manyToManyField('dcim.virtualdevicecontext', {
      join: { table: 'dcim_interface_vdcs', own: 'interface_id', other: 'virtualdevicecontext_id' },
      filter: { name: 'vdc', by: 'name' },
    }),
    module: component.componentModuleField,
    name: component.componentNameField,
    label: component.componentLabelField,
    type: choiceField(interfaceTypes, { required: true }),
    enabled: booleanField({ default: true }),
    parent: referenceField('dcim.interface', { nullable: true, filterBy: null, shape: relatedInterfaceFieldNames }),
    bridge: referenceField('dcim.interface', {
      nullable: true,
      onDelete: 'set_null',
      filterBy: null,
      shape: relatedInterfaceFieldNames,
    }),
    bridge_interfaces: reverseReferencesField('dcim.interface', 'bridge', relatedInterfaceFieldNames),
    lag: referenceField('dcim.interface', {
      nullable: true,
      onDelete: 'set_null',
      filterBy: null,
      shape: relatedInterfaceFieldNames,
    }),
    mtu: shared.interfaceMtuField,
    mac_address: shared.primaryMacAddressTextField,
    primary_mac_address: shared.primaryMacAddressField,
    mac_addresses: shared.macAddressesField,
    speed: integerField({ nullable: true, min: 0, label: 'speed (Kbps)' }),
    duplex: choiceField(interfaceDuplexChoices, { nullable: true }),
    wwn: worldWideNameField({ nullable: true, label: 'WWN' }),
    mgmt_only: booleanField({ label: 'management only' }),
    description: common.descriptionField,
    mode: shared.vlanModeField,
    rf_role: choiceField(wirelessRoles, { nullable: true }),
    rf_channel: choiceField(wirelessChannels, { nullable: true }),
    poe_mode: choiceField(powerOverEthernetModes, { nullable: true }),
    poe_type: choiceField(powerOverEthernetTypes, { nullable: true }),
    rf_channel_frequency: decimalField({ digits: 8, places: 3, nullable: true, label: 'channel frequency (MHz)' }),
    rf_channel_width: decimalField({ digits: 7, places: 3, nullable: true, label: 'channel width (MHz)' }),
    tx_power: integerField({ nullable: true, min: -40, max: 127, label: 'transmit power (dBm)' }),
    untagged_vlan: shared.untaggedVlanField,
    tagged_vlans: manyToManyField('ipam.vlan', {
      join: { table: 'dcim_interface_tagged_vlans', own: 'interface_id', other: 'vlan_id' },
    }),
    qinq_svlan: shared.qinqSvlanField,
    vlan_translation_policy: shared.vlanTranslationPolicyField,
    ...cabled.componentCableFields,
    wireless_link: referenceField('wireless.wirelesslink', {
      nullable: true,
      readOnly: true,
      onDelete: 'set_null',
      filterBy: null,
      shape: { ...common.identityFields, ssid: textField() },
    }),
    ...cabled.createLinkPeerFields(wirelessPeerSql),
    wireless_lans: manyToManyField('wireless.wirelesslan', {
      join: { table: 'dcim_interface_wireless_lans', own: 'interface_id', other: 'wirelesslan_id' },
      filter: { name: 'wireless_lan', by: null },
    }),
    vrf: { ...shared.interfaceVrfField, isIndexedWithId: true },
    l2vpn_termination: shared.l2vpnTerminationField,
    ...cabled.createConnectedEndpointFields({
      isLinked: ({ alias }) => `(${alias}.cable_id IS NOT NULL OR ${alias}.wireless_link_id IS NOT NULL)`,
      others: virtualCircuitPeersSql,
    }),
    owner: common.ownerField,
    tags: common.objectTagsField,
    custom_fields: common.objectCustomFieldsField,
    ...common.creationTimeFields,
    count_ipaddresses: shared.ipAddressCountField,
    count_fhrp_groups: shared.fhrpGroupCountField,
    _occupied: cabled.createOccupiedFieldWithCondition(createInterfaceOccupiedCondition),
  },
  changeLogMembers: cabled.componentCableChangeMembers,
  relatedTo: 'device',
  display: (alias) => `${alias}.name || coalesce(' (' || nullif(${alias}.label, '') || ')', '')`,
  brief: ['id', 'url', 'display', 'device', 'name', 'description', 'cable', '_occupied'],
  order: [{ field: 'device' }, { sql: (alias) => `${alias}._order` }],
  search: common.createFieldSearchTerms('name', 'label', 'description'),
  constraints: [
    { name: 'dcim_interface_primary_mac_address_id_key', fields: ['primary_mac_address'] },
    { name: 'dcim_primary_mac_address', key: 'primary_mac_address' },
    { name: 'dcim_interface_device_id_name_key', fields: ['device', 'name'] },
    cabled.createMarkedConnectedConstraint('dcim_interface'),
    // The rule checks this for each type; the constraint applies if a cable is connected concurrently.
    { name: 'dcim_interface_wired_check', key: 'type', message: 'Virtual interfaces cannot have a cable attached.' },
    componentModuleDeviceConstraint,
    ...['parent', 'bridge', 'lag', 'untagged_vlan', 'tagged_vlans'].map((key) => ({
      name: `dcim_interface_${key}`,
      key,
    })),
  ],
  rules: [
    checkComponentDeviceUnchanged,
    ...interfaceTypeRules,
    checkCableNeedsPhysicalInterface,
    checkParentNeedsVirtualInterface,
    checkInterfaceVlanMode,
    checkChannelNeedsWirelessInterface,
  ],
  hooks: {
    derived: { data: cablePathsAfterWriteHook, fields: [] },
    prepare: (row) => {
      const channel = parseWirelessChannel(row.rf_channel);
      const columns = { rf_channel_frequency: channel?.frequency, rf_channel_width: channel?.width };
      return Promise.resolve({ columns: channel === null ? {} : columns });
    },
  },
  rereadAfterUpdate: true,
  rereadAfterCreateFields: ['primary_mac_address'],
  filters: [
    ...deviceFiltersOfComponents,
    shared.macAddressFilter,
    ...cabled.createComponentCableFilters(createInterfaceOccupiedCondition),
    cabled.connectedComponentFilter,
    ...interfaceFilters,
  ],
});
