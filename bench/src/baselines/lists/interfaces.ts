import {
  requireAbsentReference,
  commonListColumnsSql,
  type CommonListRow,
  type BaselineListPage,
  createTagsJson,
  createTagsSql,
  type TagRow,
} from './baseline-list-page.js';

interface InterfaceRow extends CommonListRow {
  readonly name: string;
  readonly label: string;
  readonly device_id: number;
  readonly device_name: string;
  readonly device_asset_tag: string | null;
  readonly device_description: string;
  readonly type: string;
  readonly enabled: boolean;
  readonly mtu: number | null;
  readonly speed: number | null;
  readonly duplex: string | null;
  readonly wwn: string | null;
  readonly mgmt_only: boolean;
  readonly description: string;
  readonly mark_connected: boolean;
  readonly tags: readonly TagRow[] | null;
  /**
   * Values of the references of an interface that are null in all interfaces of the test data, in the order of
   * {@link emptyReferenceNames}.
   */
  readonly references: readonly (number | null)[];
  /** Values of the choice fields of an interface that are null in all interfaces of the test data. */
  readonly choices: readonly (string | null)[];
  /**
   * Id of a row in another table that refers to the interface. The id is null, because the test data leaves these other
   * tables empty.
   */
  readonly others: number | null;
  readonly count_ipaddresses: number;
  readonly count_fhrp_groups: number;
}

const emptyReferenceNames = [
  'module',
  'parent',
  'bridge',
  'lag',
  'primary_mac_address',
  'untagged_vlan',
  'qinq_svlan',
  'vlan_translation_policy',
  'cable',
  'wireless_link',
  'vrf',
  'owner',
].map((name) => `t.${name}_id`);
const otherInterfaceFieldQueries = [
  'SELECT v.interface_id FROM dcim_interface_vdcs v WHERE v.interface_id = t.id',
  'SELECT b.id FROM dcim_interface b WHERE b.bridge_id = t.id',
  `SELECT a.id FROM dcim_macaddress a WHERE a.assigned_object_type = 'dcim.interface' AND a.assigned_object_id = t.id`,
  'SELECT v.interface_id FROM dcim_interface_tagged_vlans v WHERE v.interface_id = t.id',
  'SELECT w.interface_id FROM dcim_interface_wireless_lans w WHERE w.interface_id = t.id',
  `SELECT l.id FROM vpn_l2vpntermination l WHERE l.assigned_object_type = 'dcim.interface' AND l.assigned_object_id = t.id`,
];

/** List of network interfaces in the inventory benchmark, each with all its related objects. */
export const interfaceList: BaselineListPage<InterfaceRow> = {
  path: 'dcim/interfaces',
  model: 'dcim.interface',
  table: 'dcim_interface',
  order: 'od.name, od.id, t._order, t.id',
  orderJoins: 'JOIN dcim_device od ON od.id = t.device_id',
  columns: `${commonListColumnsSql}, t.name, t.label, t.device_id, d.name AS device_name, d.asset_tag AS device_asset_tag,
    d.description AS device_description, t.type, t.enabled, t.mtu, t.speed, t.duplex, t.wwn, t.mgmt_only, t.description, t.mark_connected,
    ARRAY[${emptyReferenceNames.join(', ')}]::int[] AS references,
    ARRAY[t.duplex, t.mode, t.rf_role, t.rf_channel, t.poe_mode, t.poe_type, t.rf_channel_frequency::text,
      t.rf_channel_width::text, t.tx_power::text] AS choices,
    coalesce(${otherInterfaceFieldQueries.map((one) => `(${one} LIMIT 1)`).join(', ')}) AS others, ${createTagsSql('dcim.interface')},
    (SELECT count(*) FROM ipam_ipaddress a WHERE a.assigned_object_type = 'dcim.interface' AND a.assigned_object_id = t.id)
      AS count_ipaddresses,
    (SELECT count(*) FROM ipam_fhrpgroupassignment a WHERE a.interface_type = 'dcim.interface' AND a.interface_id = t.id)
      AS count_fhrp_groups`,
  joins: 'JOIN dcim_device d ON d.id = t.device_id',
  shape: (row, base) => {
    for (const id of [...row.references, row.others]) requireAbsentReference(id);
    if (row.choices.some((value) => value !== null)) throw new Error('the baseline does not know this choice');
    return {
      id: row.id,
      url: `${base}/api/dcim/interfaces/${row.id}/`,
      display_url: `${base}/dcim/interfaces/${row.id}/`,
      display: row.label === '' ? row.name : `${row.name} (${row.label})`,
      device: {
        id: row.device_id,
        url: `${base}/api/dcim/devices/${row.device_id}/`,
        display: row.device_asset_tag === null ? row.device_name : `${row.device_name} (${row.device_asset_tag})`,
        name: row.device_name,
        description: row.device_description,
      },
      vdcs: [],
      module: null,
      name: row.name,
      label: row.label,
      type: { value: row.type, label: '1000BASE-T (1GE)' },
      enabled: row.enabled,
      parent: null,
      bridge: null,
      bridge_interfaces: [],
      lag: null,
      mtu: row.mtu,
      mac_address: null,
      primary_mac_address: null,
      mac_addresses: [],
      speed: row.speed,
      duplex: null,
      wwn: row.wwn,
      mgmt_only: row.mgmt_only,
      description: row.description,
      mode: null,
      rf_role: null,
      rf_channel: null,
      poe_mode: null,
      poe_type: null,
      rf_channel_frequency: null,
      rf_channel_width: null,
      tx_power: null,
      untagged_vlan: null,
      tagged_vlans: [],
      qinq_svlan: null,
      vlan_translation_policy: null,
      mark_connected: row.mark_connected,
      cable: null,
      cable_end: null,
      wireless_link: null,
      link_peers: [],
      link_peers_type: null,
      wireless_lans: [],
      vrf: null,
      l2vpn_termination: null,
      connected_endpoints: null,
      connected_endpoints_type: null,
      connected_endpoints_reachable: false,
      owner: null,
      tags: createTagsJson(row.tags, base),
      custom_fields: row.custom_fields,
      created: row.created,
      last_updated: row.last_updated,
      count_ipaddresses: row.count_ipaddresses,
      count_fhrp_groups: row.count_fhrp_groups,
      _occupied: row.mark_connected,
    };
  },
};
