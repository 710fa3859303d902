import type { ModelDefinition } from '../../../engine/declaration/define-model.js';

/** Class names of query sets in the reference server that differ from the usual name, by model. */
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

/** Returns the class name with which templates print a list of a model's objects. */
export function getQuerySetName({ type, tree }: ModelDefinition): string {
  return querySetNamesByModel.get(type) ?? (tree === true ? 'TreeQuerySet' : 'RestrictedQuerySet');
}
