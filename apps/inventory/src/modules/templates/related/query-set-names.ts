import type { ModelDefinition } from '../../../engine/declaration/define-model.js';

/**
 * Class names of query sets (lists of objects) in the reference server, by model. Contains only class names that differ
 * from the usual name.
 */
const querySetNamesByModel: ReadonlyMap<string, string> = new Map([
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

/** Returns the class name that a template prints for a list of a model's objects, as in the reference server. */
export function getQuerySetName({ type, tree }: ModelDefinition): string {
  return querySetNamesByModel.get(type) ?? (tree === true ? 'TreeQuerySet' : 'RestrictedQuerySet');
}
