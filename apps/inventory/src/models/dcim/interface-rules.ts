import type { ValidationMessagesByField } from '../../engine/declaration/define-model.js';
import { interfaceTypes } from './interface-types.js';

interface InterfaceRow {
  readonly type?: string | number | null;
  readonly poe_mode?: string | number | null;
  readonly poe_type?: string | number | null;
  readonly rf_role?: string | number | null;
}

const virtualInterfaceTypes = new Set<unknown>(['virtual', 'bridge', 'lag']);
const wirelessRadioInterfaceTypes = ['other-wireless', 'gsm', 'cdma', 'lte', '4g', '5g'];
const wirelessInterfaceTypes = new Set<unknown>([
  ...Object.keys(interfaceTypes).filter((type) => type.startsWith('ieee802.1')),
  ...wirelessRadioInterfaceTypes,
]);

/** Returns true for types of interfaces that have no hardware of their own, such as virtual interfaces. */
export function isVirtualInterface(type: unknown): boolean {
  return virtualInterfaceTypes.has(type);
}

/** Returns true for the types of wireless interfaces. */
export function isWirelessInterface(type: unknown): boolean {
  return wirelessInterfaceTypes.has(type);
}

/** Checks two rules: Power over Ethernet (PoE) requires a physical interface, and a PoE type requires a PoE mode. */
function checkPowerOverEthernetType({
  type,
  poe_mode: mode = null,
  poe_type: kind = null,
}: InterfaceRow): ValidationMessagesByField | null {
  if (mode !== null && isVirtualInterface(type)) return { poe_mode: ['Virtual interfaces cannot have a PoE mode.'] };
  if (kind === null) return null;
  if (isVirtualInterface(type)) return { poe_type: ['Virtual interfaces cannot have a PoE type.'] };
  return mode === null ? { poe_type: ['Must specify PoE mode when designating a PoE type.'] } : null;
}

function checkWirelessRoleInterfaceType({
  type,
  rf_role: role = null,
}: InterfaceRow): ValidationMessagesByField | null {
  return role !== null && !isWirelessInterface(type)
    ? { rf_role: ['Wireless role may be set only on wireless interfaces.'] }
    : null;
}

/** Rules of interfaces and interface templates that depend on the type of the interface. */
export const interfaceTypeRules = [checkPowerOverEthernetType, checkWirelessRoleInterfaceType] as const;
