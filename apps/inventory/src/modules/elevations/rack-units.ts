import type { RackFace } from './elevation-parameters.js';

/** Height and numbering of a rack's units. */
export interface NumberedRack {
  /** Height of the rack in units. */
  readonly height: number;
  /** Number of the rack's lowest unit, or of its highest unit if `descending` is true. */
  readonly startingUnit: number;
  readonly descending: boolean;
}

/** A device mounted in a rack. */
export interface MountedDevice {
  /** Number of the lowest rack unit that the device occupies. */
  readonly position: number;
  /** Height of the device in rack units. */
  readonly height: number;
  /** JSON texts of the nested device and of its display name. Null if the user may not view the device. */
  readonly shown: { readonly object: string; readonly display: string } | null;
}

/** Half a unit of a rack. */
export interface RackUnit {
  /** Number of the unit: whole for its lower half, with a fraction for its upper half. */
  readonly id: number;
  readonly name: string;
  /** Device that occupies this half unit; null if it is free. */
  readonly device: MountedDevice | null;
}

/**
 * Returns the half units of a rack from top to bottom. With `expand`, each half unit that a device occupies contains
 * the device. Without it, only the device's lowest half unit does.
 */
export function listRackUnits(rack: NumberedRack, devices: readonly MountedDevice[], expand: boolean): RackUnit[] {
  const byUnit = new Map<number, MountedDevice>();
  for (const device of devices) {
    const halves = expand ? device.height * 2 : 1;
    for (let half = 0; half < halves; half += 1) byUnit.set(device.position + half / 2, device);
  }
  const { height, startingUnit, descending } = rack;
  return Array.from({ length: height * 2 }, (_, index) => {
    const id = startingUnit + (descending ? index : height * 2 - 1 - index) / 2;
    return { id, name: `U${id}`, device: byUnit.get(id) ?? null };
  });
}

/** Returns true if the number or the name of a rack unit contains a text, ignoring case. */
export function unitContainsText({ id, name }: RackUnit, text: string): boolean {
  const requested = text.toLowerCase();
  return id.toFixed(1).includes(requested) || name.toLowerCase().includes(requested);
}

const rackFaceLabels = { front: 'Front', rear: 'Rear' } as const;

/** Returns the JSON text of a rack unit. Its number always has a fraction. */
export function createUnitJson({ id, name, device }: RackUnit, face: RackFace): string {
  const members = [
    `"id": ${id.toFixed(1)}`,
    `"name": "${name}"`,
    `"face": {"value": "${face}", "label": "${rackFaceLabels[face]}"}`,
    `"device": ${device?.shown?.object ?? 'null'}`,
    `"occupied": ${device !== null}`,
    `"display": "${name}"`,
    `"description": ${device?.shown?.display ?? 'null'}`,
  ];
  return `{${members.join(', ')}}`;
}
