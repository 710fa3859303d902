import type { ModelDefinition } from '../../../engine/declaration/model.js';

/** Names of the types of lists in the reference server, by type of their objects, where they have their own. */
const names: ReadonlyMap<string, string> = new Map([
  ['dcim.device', 'ConfigContextModelQuerySet'],
  ['virtualization.virtualmachine', 'ConfigContextModelQuerySet'],
  ['extras.configcontext', 'ConfigContextQuerySet'],
  ['ipam.asnrange', 'ASNRangeQuerySet'],
  ['ipam.ipaddress', 'IPAddressQuerySet'],
  ['ipam.iprange', 'IPRangeQuerySet'],
  ['ipam.prefix', 'PrefixQuerySet'],
  ['ipam.vlan', 'VLANQuerySet'],
  ['ipam.vlangroup', 'VLANGroupQuerySet'],
]);

/** Returns the name with which lists of objects of a model are printed. */
export function querySetName({ type, tree }: ModelDefinition): string {
  return names.get(type) ?? (tree === true ? 'TreeQuerySet' : 'RestrictedQuerySet');
}
