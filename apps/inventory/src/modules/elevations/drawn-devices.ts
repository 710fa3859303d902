import type { DrawnDevice, VisibleRackDeviceDetails } from '../../drawings/rack-drawing.js';
import type { RackFace, HighlightedValue } from './elevation-parameters.js';

/** Names of the device fields that a rack drawing shows, or by whose values a rack drawing can highlight devices. */
export const drawnDeviceFields = [
  'id',
  'name',
  'device_type',
  'role',
  'tenant',
  'platform',
  'serial',
  'asset_tag',
  'status',
  'airflow',
  'cluster',
  'virtual_chassis',
  'vc_position',
  'description',
] as const;

interface NestedObjectValue {
  readonly id: number;
  readonly display: string;
}

/** Values of a device's fields, by field name, in the JSON form of the API. */
interface DeviceFieldValues {
  readonly id: number;
  readonly name: string | null;
  readonly device_type: NestedObjectValue & { readonly manufacturer: NestedObjectValue };
  readonly role: NestedObjectValue;
  readonly status: { readonly label: string };
  readonly serial: string;
  readonly asset_tag: string | null;
  readonly virtual_chassis: (NestedObjectValue & { readonly name: string }) | null;
  readonly vc_position: number | null;
  readonly description: string;
}

/** A device in a rack, as read from the database. */
export interface DeviceInRack {
  readonly position: number;
  readonly height: number;
  /** Details of the device that a drawing shows. Null if the user may not view the device. */
  readonly shown: {
    readonly attributes: DeviceFieldValues;
    readonly face: RackFace;
    /** Color of the device's role, as six hexadecimal digits. */
    readonly color: string;
    /**
     * Path, below `/media/`, of the image of one side (front or rear) of the device's type. '' if there is no image.
     */
    readonly frontImage: string;
    readonly rearImage: string;
    /**
     * Number of device bays of the device. The property `children` is the number of devices that are installed in the
     * bays.
     */
    readonly bays: number;
    readonly children: number;
  } | null;
}

/** Options of {@link toDrawnDevices}: the face of the rack to draw, and further settings. */
export interface DrawnDevicesOptions {
  readonly face: RackFace;
  /** Scheme and host of the URLs of images in the drawing. */
  readonly base: string;
  readonly includeImages: boolean;
  readonly highlight: readonly HighlightedValue[];
}

/** Returns the devices of a rack in the form that the rack drawing needs. */
export function toDrawnDevices(devices: readonly DeviceInRack[], options: DrawnDevicesOptions): DrawnDevice[] {
  const isHighlighted = ({ shown }: DeviceInRack): boolean =>
    shown !== null && options.highlight.some((wanted) => hasDeviceFieldValue(shown.attributes, wanted));
  const someHighlighted = devices.some(isHighlighted);
  return devices.map((device) => {
    const { position, height, shown } = device;
    const isShaded = someHighlighted && !isHighlighted(device);
    return { position, height, shown: shown === null ? null : toDrawnDevice({ height, shown }, isShaded, options) };
  });
}

function toDrawnDevice(
  { height, shown }: { readonly height: number; readonly shown: NonNullable<DeviceInRack['shown']> },
  isShaded: boolean,
  { face, base, includeImages }: DrawnDevicesOptions,
): VisibleRackDeviceDetails {
  const isMounted = shown.face === face;
  const image = isMounted ? shown.frontImage : shown.rearImage;
  const bays = shown.bays === 0 ? '' : ` (${shown.children}/${shown.bays})`;
  return {
    id: shown.attributes.id,
    label: `${getDrawnDeviceName(shown.attributes)}${bays}`,
    description: createTooltipLines(shown.attributes, height),
    color: isMounted ? shown.color : null,
    image: includeImages && image !== '' ? `${base}/media/${encodeURI(image)}` : null,
    isShaded,
  };
}

function getDrawnDeviceName({
  name,
  virtual_chassis: chassis,
  vc_position: position,
  device_type: type,
}: DeviceFieldValues): string {
  if (chassis !== null) return `${chassis.name}:${position}`;
  return name || type.display;
}

/**
 * Returns the lines of text that a drawing shows while the mouse pointer is over a device. The lines are the same as in
 * the reference API.
 */
function createTooltipLines(device: DeviceFieldValues, height: number): string {
  const { device_type: type } = device;
  const optional: readonly (readonly [string, string | null])[] = [
    ['Asset tag', device.asset_tag],
    ['Serial', device.serial],
    ['Description', device.description],
  ];
  const lines = [
    `Name: ${device.name ?? 'None'}`,
    `Role: ${device.role.display}`,
    `Status: ${device.status.label}`,
    `Device Type: ${type.manufacturer.display} ${type.display} (${height}U)`,
    ...optional.flatMap(([label, value]) => (value ? [`${label}: ${value}`] : [])),
  ];
  return lines.join('\n');
}

/** Returns true if a field of a device has a given value. Compares references by id, and choices by value. */
function hasDeviceFieldValue(device: object, { attribute, value }: HighlightedValue): boolean {
  const name = [attribute, attribute.replace(/_id$/, '')].find((candidate) => Object.hasOwn(device, candidate));
  if (name === undefined) return false;
  const stored: unknown = Reflect.get(device, name);
  const compared: unknown = typeof stored === 'object' && stored !== null ? getIdOrChoiceValue(stored) : stored;
  return compared !== null && String(compared) === value;
}

function getIdOrChoiceValue(stored: object): unknown {
  return 'value' in stored ? stored.value : 'id' in stored ? stored.id : null;
}
