import type { ValidationMessagesByField, ObjectValuesToStore } from '../../engine/declaration/define-model.js';
import { isVirtualInterface, isWirelessInterface } from './interface-rules.js';
import { interfaceTypes } from './interface-types.js';

/** Returns true if the value of an interface's field is neither null, undefined nor ''. */
const hasInterfaceFieldValue = (value: unknown): boolean => value !== null && value !== undefined && value !== '';

function getInterfaceTypeLabel(type: unknown): string {
  return new Map(Object.entries(interfaceTypes)).get(String(type)) ?? String(type);
}

/** Checks the rule that only physical interfaces can have a cable or be marked as connected. */
export function checkCableNeedsPhysicalInterface({
  type,
  cable,
  mark_connected: marked,
}: ObjectValuesToStore): ValidationMessagesByField | null {
  if (!isVirtualInterface(type) && !isWirelessInterface(type)) return null;
  if (hasInterfaceFieldValue(cable))
    return { type: [`${getInterfaceTypeLabel(type)} interfaces cannot have a cable attached.`] };
  return marked === true
    ? { mark_connected: [`${getInterfaceTypeLabel(type)} interfaces cannot be marked as connected.`] }
    : null;
}

/**
 * Checks two rules: an interface with a parent must be virtual, and a virtual interface cannot be a member of a link
 * aggregation group.
 */
export function checkParentNeedsVirtualInterface({
  type,
  parent,
  lag,
}: ObjectValuesToStore): ValidationMessagesByField | null {
  if (hasInterfaceFieldValue(parent) && type !== 'virtual') {
    return { parent: ['Only virtual interfaces may be assigned to a parent interface.'] };
  }
  return hasInterfaceFieldValue(lag) && type === 'virtual'
    ? { lag: ['Virtual interfaces cannot have a parent LAG interface.'] }
    : null;
}

/**
 * Checks the rule that the mode of an interface must allow the interface's VLANs. `tagged_vlans` is checked only if the
 * request contains it.
 */
export function checkInterfaceVlanMode({
  mode,
  untagged_vlan,
  tagged_vlans,
  qinq_svlan,
}: ObjectValuesToStore): ValidationMessagesByField | null {
  const problems: Record<string, string[]> = {};
  if (hasInterfaceFieldValue(qinq_svlan) && mode !== 'q-in-q') {
    problems['qinq_svlan'] = ['Interface mode does not support q-in-q service vlan'];
  }
  if (hasInterfaceFieldValue(untagged_vlan) && !hasInterfaceFieldValue(mode))
    problems['untagged_vlan'] = ['Interface mode does not support untagged vlan'];
  if (Array.isArray(tagged_vlans) && tagged_vlans.length > 0 && mode !== 'tagged' && mode !== 'q-in-q') {
    problems['tagged_vlans'] = ['Interface mode does not support tagged vlans'];
  }
  return Object.keys(problems).length > 0 ? problems : null;
}

/**
 * Returns the frequency and the width of a wireless channel, or null if the value is not a channel. The channel's value
 * contains both numbers, as in `5g-36-5180-20`.
 */
export function parseWirelessChannel(channel: unknown): { readonly frequency: number; readonly width: number } | null {
  if (typeof channel !== 'string') return null;
  const [, , frequency, width] = channel.split('-').map(Number);
  return frequency === undefined || width === undefined ? null : { frequency, width };
}

/**
 * Checks the rule that only wireless interfaces can have a channel. The frequency and width of the interface must match
 * the channel.
 */
export function checkChannelNeedsWirelessInterface(
  row: ObjectValuesToStore,
  { previous }: { readonly previous: ObjectValuesToStore | null },
): ValidationMessagesByField | null {
  const channel = parseWirelessChannel(row['rf_channel']);
  if (hasInterfaceFieldValue(row['rf_channel']) && !isWirelessInterface(row['type'])) {
    return { rf_channel: ['Channel may be set only on wireless interfaces.'] };
  }
  for (const part of ['frequency', 'width'] as const) {
    const field = `rf_channel_${part}`;
    const value = row[field];
    if (!hasInterfaceFieldValue(value)) continue;
    if (!isWirelessInterface(row['type']))
      return { [field]: [`Channel ${part} may be set only on wireless interfaces.`] };
    // A value from an earlier channel is replaced instead of refused.
    const isKept = previous !== null && previous[field] === value;
    if (channel !== null && Number(value) !== channel[part] && !isKept) {
      return { [field]: [`Cannot specify custom ${part} with channel selected.`] };
    }
  }
  return null;
}
