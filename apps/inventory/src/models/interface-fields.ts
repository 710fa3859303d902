import type { ListFilter, ModelFilterFactory } from '../engine/filter/filter-problem.js';
import { relatedFieldFilter, relatedObjectFilter } from '../engine/filter/path-filter.js';
import { resolveStepToReferringObjects } from '../engine/filter/resolve-reference-path.js';
import { choiceField } from '../engine/field-types/choice.js';
import { computedField, referringObjectCountField } from '../engine/field-types/computed-field.js';
import { integerField } from '../engine/field-types/number.js';
import { referenceField } from '../engine/field-types/relation.js';
import {
  reverseGenericReferencesField,
  singleReverseGenericReferenceField,
} from '../engine/field-types/reverse-generic.js';
import { createJsonValueFragment, type SqlText } from '../engine/sql/json-text-sql.js';

/** Labels of the VLAN modes of an interface, by stored value. */
const vlanModes = {
  access: 'Access',
  tagged: 'Tagged',
  'tagged-all': 'Tagged (All)',
  'q-in-q': 'Q-in-Q (802.1ad)',
};

/** Field with the maximum transmission unit of an interface: the size of its largest packet in bytes. */
export const interfaceMtuField = integerField({ nullable: true, min: 1, max: 65_536, label: 'MTU' });

/** Field with the primary MAC address of an interface. */
export const primaryMacAddressField = referenceField('dcim.macaddress', {
  nullable: true,
  onDelete: 'set_null',
  filterBy: 'mac_address',
});

/** Filter of interfaces by any of the MAC addresses of an interface. */
export const macAddressFilter = relatedFieldFilter(
  'mac_address',
  [resolveStepToReferringObjects('dcim.macaddress', 'assigned_object')],
  'mac_address',
);

/** Field that shows the primary MAC address of an interface as text. */
export const primaryMacAddressTextField = computedField({
  json: ({ alias }) => [
    createJsonValueFragment(
      `(SELECT upper(m.mac_address::text) FROM dcim_macaddress m WHERE m.id = ${alias}.primary_mac_address_id)`,
    ),
  ],
  schema: { type: ['string', 'null'] },
  metadataType: 'string',
});

/** Field with all MAC addresses of an interface. */
export const macAddressesField = reverseGenericReferencesField('dcim.macaddress', {
  type: 'assigned_object_type',
  id: 'assigned_object_id',
});

/** Field with the VLAN mode of an interface, such as tagged. */
export const vlanModeField = choiceField(vlanModes, { nullable: true });

/** Field with the VLAN to which the untagged traffic of an interface belongs. */
export const untaggedVlanField = referenceField('ipam.vlan', {
  nullable: true,
  onDelete: 'set_null',
  filterable: false,
});

/** Field with the service VLAN (outer VLAN) of an interface for Q-in-Q. */
export const qinqSvlanField = referenceField('ipam.vlan', { nullable: true, onDelete: 'set_null', filterable: false });

/** Field with the VLAN translation policy of an interface. */
export const vlanTranslationPolicyField = referenceField('ipam.vlantranslationpolicy', {
  nullable: true,
  filterBy: 'name',
});

export const interfaceVrfField = referenceField('ipam.vrf', { nullable: true, onDelete: 'set_null', filterBy: 'rd' });

/** Field with the L2VPN termination that belongs to an interface. */
export const l2vpnTerminationField = singleReverseGenericReferenceField('vpn.l2vpntermination', {
  type: 'assigned_object_type',
  id: 'assigned_object_id',
});

/** Field with the number of IP addresses of an interface. */
export const ipAddressCountField = referringObjectCountField('ipam.ipaddress', {
  metadataType: 'integer',
  via: 'assigned_object_id',
  typeField: 'assigned_object_type',
});

/** Field with the number of FHRP group assignments of an interface. */
export const fhrpGroupCountField = referringObjectCountField('ipam.fhrpgroupassignment', {
  metadataType: 'integer',
  via: 'interface_id',
  typeField: 'interface_type',
});

const referencePathToL2vpns = [
  resolveStepToReferringObjects('vpn.l2vpntermination', 'assigned_object'),
  'l2vpn',
] as const;

/** Filters of interfaces by the L2VPNs that have a termination at the interface. */
export const interfaceL2vpnFilters: readonly ModelFilterFactory[] = [
  relatedObjectFilter('l2vpn_id', referencePathToL2vpns),
  relatedObjectFilter('l2vpn', referencePathToL2vpns, { by: 'identifier' }),
];

/**
 * Returns filters of interfaces by a tagged, untagged or service VLAN. One filter compares the object id of the VLAN,
 * and the other filter compares the VLAN id. Filter values that are not numbers match no interfaces.
 */
export function createInterfaceVlanFilters(tagged: {
  readonly table: string;
  readonly own: string;
}): readonly ListFilter[] {
  const filter = (name: string, idsOf: (requested: SqlText) => SqlText): ListFilter => ({
    name,
    lookups: [],
    multiple: false,
    schema: { type: 'string' },
    compile: ({ alias, values, parameters }) => {
      const requested = (values.at(-1) ?? '').trim();
      if (!/^\d{1,18}$/.test(requested)) return 'false';
      const any = `= ANY (${idsOf(parameters.add(requested, 'bigint'))})`;
      const others = ['untagged_vlan_id', 'qinq_svlan_id'].map((column) => `${alias}.${column} ${any}`);
      return `(${others.join(' OR ')} OR ${alias}.id IN (SELECT pair.${tagged.own} FROM ${tagged.table} pair WHERE pair.vlan_id ${any}))`;
    },
  });
  return [
    filter('vlan_id', (requested) => `ARRAY[${requested}]`),
    filter('vlan', (requested) => `ARRAY(SELECT v.id FROM ipam_vlan v WHERE v.vid = ${requested})`),
  ];
}
