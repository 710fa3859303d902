import type { RackFace } from './elevation-parameters.js';

/** Height of a rack in rack units, and the numbering of the units. */
export interface NumberedRack {
  /** Height of the rack in units. */
  readonly height: number;
  /** Number of the first unit of the rack: the lowest unit, or the highest unit if `descending` is true. */
  readonly startingUnit: number;
  readonly descending: boolean;
}

/** A device that is mounted in a rack. */
export interface MountedDevice {
  /** Number of the lowest rack unit that the device occupies. */
  readonly position: number;
  /** Height of the device in rack units. */
  readonly height: number;
  /** JSON texts of the device in nested form, and of its display name. Null if the user may not view the device. */
  readonly shown: { readonly object: string; readonly display: string } | null;
}

export interface HalfRackUnit {
  /**
   * Number of the rack unit. The lower half of a unit has a whole number, and the upper half a number that ends in .5.
   */
  readonly id: number;
  readonly name: string;
  /** Device that occupies this half of a rack unit. Null if no device occupies this half. */
  readonly device: MountedDevice | null;
}

/**
 * Returns the half units of a rack from top to bottom. With `expand`, each half unit that a device occupies contains
 * the device. Without `expand`, only the lowest half unit of the device contains it.
 */
export function listHalfRackUnits(
  rack: NumberedRack,
  devices: readonly MountedDevice[],
  expand: boolean,
): HalfRackUnit[] {
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
export function doesRackUnitContainText({ id, name }: HalfRackUnit, text: string): boolean {
  const requested = text.toLowerCase();
  return id.toFixed(1).includes(requested) || name.toLowerCase().includes(requested);
}

const rackFaceLabels = { front: 'Front', rear: 'Rear' } as const;

/** Returns the JSON text of one half of a rack unit. The number of the unit is always written with a decimal place. */
export function createRackUnitJson({ id, name, device }: HalfRackUnit, face: RackFace): string {
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
