import type { ModelConstraint, ModelRule } from '../../engine/declaration/define-model.js';

/**
 * Rules of devices that database triggers enforce, each with the name of the field for which the error is reported
 * (docs/contract/inventory.md 3.3).
 */
export const deviceConstraints: readonly ModelConstraint[] = [
  'rack',
  'location',
  'face',
  'position',
  'primary_ip4',
  'primary_ip6',
  'oob_ip',
  'platform',
  'cluster',
  'virtual_chassis',
].map((field) => ({ name: `dcim_device_${field}_rule`, key: field }));

/** Checks the rule on the rack, face and position of a device. Reports only the first violation. */
const checkDeviceRackPosition: ModelRule = ({ rack, face, position }) => {
  const hasFace = typeof face === 'string' && face !== '';
  const hasPosition = position !== null && position !== undefined;
  if (typeof rack !== 'number') {
    if (hasFace) return { face: ['Cannot select a rack face without assigning a rack.'] };
    return hasPosition ? { position: ['Cannot select a rack position without assigning a rack.'] } : null;
  }
  if (!hasPosition) return null;
  if ((Number(position) * 2) % 1 !== 0) return { position: ['Position must be in increments of 0.5 rack units.'] };
  return hasFace ? null : { face: ['Must specify rack face when defining rack position.'] };
};

const checkChassisMemberPosition: ModelRule = ({ virtual_chassis: chassis, vc_position: position }) =>
  typeof chassis === 'number' && typeof position !== 'number'
    ? { vc_position: ['A device assigned to a virtual chassis must have its position defined.'] }
    : null;

/** Rules of devices that depend only on the values of the device itself. */
export const deviceRules: readonly ModelRule[] = [checkDeviceRackPosition, checkChassisMemberPosition];
