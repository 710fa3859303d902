import { cablePaths } from '../../cable-paths/index.js';
import { defineModel } from '../../engine/declaration/model.js';
import { boolean } from '../../engine/field-types/boolean.js';
import { choice } from '../../engine/field-types/choice.js';
import { manyToMany } from '../../engine/field-types/many-to-many.js';
import { worldWideNameField } from '../../engine/field-types/hardware-address-fields.js';
import { decimal, integer } from '../../engine/field-types/number.js';
import { referenceField, reverseReferences } from '../../engine/field-types/relation.js';
import { text } from '../../engine/field-types/text.js';
import * as common from '../field-groups.js';
import * as shared from '../interface-fields.js';
import * as cabled from './cabled-fields.js';
import * as component from './component-fields.js';
import { deviceFiltersOfComponents } from './component-filters.js';
import { moduleDeviceConstraint, deviceIsUnchangedRule } from './component-rules.js';
import { poeModes, poeTypes, wirelessRoles } from './interface-choices.js';
import { interfaceFilters } from './interface-filters.js';
import {
  vlanModeRule,
  parseChannel,
  parentNeedsVirtualType,
  cableNeedsPhysicalType,
  channelNeedsWirelessType,
} from './interface-network-rules.js';
import { physicalRules } from './interface-rules.js';
import { interfaceTypes } from './interface-types.js';
import { parentDeviceShape } from './parent-device.js';
import { wirelessChannels } from './wireless-channels.js';

const networkInterfaceDuplex = { half: 'Half', full: 'Full', auto: 'Auto' };

const isInterfaceOccupiedSql = (alias: string): string =>
  `(${alias}.mark_connected OR ${alias}.cable_id IS NOT NULL OR ${alias}.wireless_link_id IS NOT NULL)`;

/** SQL of the interface at the other end of an interface's wireless link. */
const wirelessPeerSql: cabled.PeerWithoutCable = {
  of: 'dcim.interface',
  found: (alias) => ({
    type: `CASE WHEN ${alias}.wireless_link_id IS NOT NULL THEN 'dcim.interface' END`,
    id: `(SELECT CASE ${alias}.id WHEN l.interface_a_id THEN l.interface_b_id ELSE l.interface_a_id END FROM wireless_wirelesslink l WHERE l.id = ${alias}.wireless_link_id)`,
  }),
};

/** SQL query of the interfaces that a virtual circuit connects with an interface. Hubs are connected with spokes. */
const virtualCircuitPeersSql: cabled.EndsWithoutPath = {
  of: 'circuits.virtualcircuittermination',
  exist: 'EXISTS (SELECT FROM circuits_virtualcircuittermination)',
  when: (alias) => `${alias}.type IN ('virtual', 'bridge', 'lag')`,
  found: (alias) => `SELECT p.id FROM circuits_virtualcircuittermination o JOIN circuits_virtualcircuittermination p
      ON p.virtual_circuit_id = o.virtual_circuit_id AND p.id <> o.id
        AND p.role = CASE o.role WHEN 'hub' THEN 'spoke' WHEN 'spoke' THEN 'hub' ELSE 'peer' END
    WHERE o.interface_id = ${alias}.id`,
};

/** Fields that the nested parent, bridge and link aggregation group of an interface show. */
const relatedInterfaceShape = {
  ...common.identityFields,
  device: referenceField('dcim.device', { shape: parentDeviceShape }),
  name: component.name,
  cable: cabled.cableFields.cable,
  _occupied: cabled.occupiedFieldOf(isInterfaceOccupiedSql),
};

/** A network interface of a device. */
export const networkInterface = defineModel('dcim.interface', {
  path: 'dcim/interfaces',
  objectName: 'Interface',
  verboseName: 'interface',
  verboseNamePlural: 'interfaces',
  resetOnPut: ['wwn'],
  fields: {
    ...common.identityFields,
    device: component.sortedDevice,
    vdcs: manyToMany('dcim.virtualdevicecontext', {
      join: { table: 'dcim_interface_vdcs', own: 'interface_id', other: 'virtualdevicecontext_id' },
      filter: { name: 'vdc', by: 'name' },
    }),
    module: component.module,
    name: component.name,
    label: component.label,
    type: choice(interfaceTypes, { required: true }),
    enabled: boolean({ default: true }),
    parent: referenceField('dcim.interface', { nullable: true, filterBy: null, shape: relatedInterfaceShape }),
    bridge: referenceField('dcim.interface', {
      nullable: true,
      onDelete: 'set_null',
      filterBy: null,
      shape: relatedInterfaceShape,
    }),
    bridge_interfaces: reverseReferences('dcim.interface', 'bridge', relatedInterfaceShape),
    lag: referenceField('dcim.interface', {
      nullable: true,
      onDelete: 'set_null',
      filterBy: null,
      shape: relatedInterfaceShape,
    }),
    mtu: shared.mtu,
    mac_address: shared.macAddress,
    primary_mac_address: shared.primaryMacAddress,
    mac_addresses: shared.macAddresses,
    speed: integer({ nullable: true, min: 0, label: 'speed (Kbps)' }),
    duplex: choice(networkInterfaceDuplex, { nullable: true }),
    wwn: worldWideNameField({ nullable: true, label: 'WWN' }),
    mgmt_only: boolean({ label: 'management only' }),
    description: common.description,
    mode: shared.mode,
    rf_role: choice(wirelessRoles, { nullable: true }),
    rf_channel: choice(wirelessChannels, { nullable: true }),
    poe_mode: choice(poeModes, { nullable: true }),
    poe_type: choice(poeTypes, { nullable: true }),
    rf_channel_frequency: decimal({ digits: 8, places: 3, nullable: true, label: 'channel frequency (MHz)' }),
    rf_channel_width: decimal({ digits: 7, places: 3, nullable: true, label: 'channel width (MHz)' }),
    tx_power: integer({ nullable: true, min: -40, max: 127, label: 'transmit power (dBm)' }),
    untagged_vlan: shared.untaggedVlan,
    tagged_vlans: manyToMany('ipam.vlan', {
      join: { table: 'dcim_interface_tagged_vlans', own: 'interface_id', other: 'vlan_id' },
    }),
    qinq_svlan: shared.qinqSvlan,
    vlan_translation_policy: shared.vlanTranslationPolicy,
    ...cabled.cableFields,
    wireless_link: referenceField('wireless.wirelesslink', {
      nullable: true,
      readOnly: true,
      onDelete: 'set_null',
      filterBy: null,
      shape: { ...common.identityFields, ssid: text() },
    }),
    ...cabled.linkPeerFields(wirelessPeerSql),
    wireless_lans: manyToMany('wireless.wirelesslan', {
      join: { table: 'dcim_interface_wireless_lans', own: 'interface_id', other: 'wirelesslan_id' },
      filter: { name: 'wireless_lan', by: null },
    }),
    vrf: { ...shared.vrf, isIndexedWithId: true },
    l2vpn_termination: shared.l2vpnTermination,
    ...cabled.connectedFieldsOf({
      isLinked: ({ alias }) => `(${alias}.cable_id IS NOT NULL OR ${alias}.wireless_link_id IS NOT NULL)`,
      others: virtualCircuitPeersSql,
    }),
    owner: common.owner,
    tags: common.tags,
    custom_fields: common.customFieldValues,
    ...common.timeFields,
    count_ipaddresses: shared.countIpaddresses,
    count_fhrp_groups: shared.countFhrpGroups,
    _occupied: cabled.occupiedFieldOf(isInterfaceOccupiedSql),
  },
  changeLogMembers: cabled.cableMembers,
  relatedTo: 'device',
  display: (alias) => `${alias}.name || coalesce(' (' || nullif(${alias}.label, '') || ')', '')`,
  brief: ['id', 'url', 'display', 'device', 'name', 'description', 'cable', '_occupied'],
  order: [{ field: 'device' }, { sql: (alias) => `${alias}._order` }],
  search: common.searchIn('name', 'label', 'description'),
  constraints: [
    { name: 'dcim_interface_primary_mac_address_id_key', fields: ['primary_mac_address'] },
    { name: 'dcim_primary_mac_address', key: 'primary_mac_address' },
    { name: 'dcim_interface_device_id_name_key', fields: ['device', 'name'] },
    cabled.markedConnectedConstraint('dcim_interface'),
    // The rule checks this for each type; the constraint applies if a cable is connected concurrently.
    { name: 'dcim_interface_wired_check', key: 'type', message: 'Virtual interfaces cannot have a cable attached.' },
    moduleDeviceConstraint,
    ...['parent', 'bridge', 'lag', 'untagged_vlan', 'tagged_vlans'].map((key) => ({
      name: `dcim_interface_${key}`,
      key,
    })),
  ],
  rules: [
    deviceIsUnchangedRule,
    ...physicalRules,
    cableNeedsPhysicalType,
    parentNeedsVirtualType,
    vlanModeRule,
    channelNeedsWirelessType,
  ],
  hooks: {
    derived: { data: cablePaths, fields: [] },
    prepare: (row) => {
      const channel = parseChannel(row.rf_channel);
      const columns = { rf_channel_frequency: channel?.frequency, rf_channel_width: channel?.width };
      return Promise.resolve({ columns: channel === null ? {} : columns });
    },
  },
  rereadAfterUpdate: true,
  rereadAfterCreateFields: ['primary_mac_address'],
  filters: [
    ...deviceFiltersOfComponents,
    shared.macAddressFilter,
    ...cabled.cabledFilters(isInterfaceOccupiedSql),
    cabled.connectedFilter,
    ...interfaceFilters,
  ],
});
