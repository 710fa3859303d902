import { formatStoredColorAsCss, getTextColorOn } from './drawing-colors.js';
import {
  type SvgRectangle,
  createSvgTextAt,
  shortenToWidth,
  createSvgLink,
  getRectangleCenter,
  SvgFragment,
  createSvgDocument,
} from './svg-elements.js';

/**
 * A rack to draw. The units of the rack are numbered from `startingUnit` upwards, or from the top down if `descending`
 * is true.
 */
export interface DrawnRack {
  readonly id: number;
  /** Height of the rack in units. */
  readonly height: number;
  readonly startingUnit: number;
  readonly descending: boolean;
  readonly site: number;
  readonly location: number | null;
}

/** A device to draw in a rack, with its position and height. */
export interface DrawnDevice {
  /** Number of the lowest rack unit that the device occupies. */
  readonly position: number;
  /** Height of the device in rack units. */
  readonly height: number;
  /**
   * Visible details of the device. Null if the user may not view the device. In that case, the drawing shows only the
   * occupied space.
   */
  readonly shown: VisibleRackDeviceDetails | null;
}

/** Details of a device in a rack drawing, for users who may view the device. */
export interface VisibleRackDeviceDetails {
  readonly id: number;
  readonly label: string;
  /** Text that the browser shows while the pointer is over the device. */
  readonly description: string;
  /**
   * Color of the device's role as six hexadecimal digits. Null if the device is mounted on the rack face opposite to
   * the drawn face.
   */
  readonly color: string | null;
  /** URL of the image that shows the drawn face of the device; null if there is no image. */
  readonly image: string | null;
  /** True if the device is drawn in pale colors, because other devices are highlighted. */
  readonly isShaded: boolean;
}

/** A reservation of rack units, to be drawn in a rack. */
export interface DrawnReservation {
  readonly units: readonly number[];
  /** Details of the reservation. Null if the user may not view the reservation. */
  readonly shown: { readonly id: number; readonly description: string } | null;
}

/** Options of {@link drawRack}. Sizes are in pixels. */
export interface RackDrawingOptions {
  readonly face: 'front' | 'rear';
  /** Scheme and host with which link URLs in the rack drawing begin. */
  readonly base: string;
  readonly unitWidth: number;
  readonly unitHeight: number;
  readonly legendWidth: number;
}

/** A rack with the devices and reservations to draw in the rack. */
export interface RackWithContentsToDraw {
  readonly rack: DrawnRack;
  readonly devices: readonly DrawnDevice[];
  readonly reservations: readonly DrawnReservation[];
}

const rackBorderWidth = 2;
/** Width of the column in which reservations are drawn, in pixels. */
const rackReservationColumnWidth = 15;

/** Draws one face of a rack as SVG: the numbered units, the reservations and the devices. */
export function drawRack({ rack, devices, reservations }: RackWithContentsToDraw, options: RackDrawingOptions): string {
  const width = options.unitWidth + options.legendWidth + rackReservationColumnWidth + 2 * rackBorderWidth;
  const height = rack.height * options.unitHeight + 2 * rackBorderWidth;
  const fromTop = devices.toSorted(
    (one, other) => getRectangleOfUnits(one, rack, options).y - getRectangleOfUnits(other, rack, options).y,
  );
  const clips = fromTop.flatMap((device) => createDeviceClipPath(device, rack, options));
  const canvas = { width, height, style: rackDrawingStyleSheet, definitions: [...rackStripePatterns, ...clips] };
  return createSvgDocument(canvas, [
    ...drawUnitNumbers(rack, options),
    ...createAddDeviceLinks(rack, options),
    ...reservations.flatMap((reservation) => drawReservation(reservation, rack, options)),
    ...fromTop.map((device) => drawDevice(device, rack, options)),
    drawRackFrame(rack, options),
  ]);
}

/** Returns the unit numbers of a rack, ordered from top to bottom. */
function listUnitNumbersFromTop({ height, startingUnit, descending }: DrawnRack): number[] {
  return Array.from({ length: height }, (_, index) => startingUnit + (descending ? index : height - 1 - index));
}

/**
 * Returns the rectangle in pixels that a device or reservation covers in the rack drawing. Positions and heights may be
 * half units.
 */
function getRectangleOfUnits(
  at: { readonly position: number; readonly height: number },
  rack: DrawnRack,
  options: DrawingSizes,
): SvgRectangle {
  const { startingUnit, descending, height } = rack;
  const above = descending ? at.position - startingUnit : startingUnit + height - at.position - at.height;
  return {
    x: options.legendWidth + rackBorderWidth,
    y: rackBorderWidth + above * options.unitHeight,
    width: options.unitWidth,
    height: at.height * options.unitHeight,
  };
}

type DrawingSizes = Pick<RackDrawingOptions, 'unitWidth' | 'unitHeight' | 'legendWidth'>;

function drawUnitNumbers(rack: DrawnRack, options: DrawingSizes): SvgFragment[] {
  return listUnitNumbersFromTop(rack).map((position) => {
    const { y } = getRectangleCenter(getRectangleOfUnits({ position, height: 1 }, rack, options));
    return createSvgTextAt(String(position), { x: options.legendWidth / 2, y }, { class: 'unit' });
  });
}

/**
 * Returns one link in the drawing for each unit of a rack. The link opens the form of NetBox's web application that
 * adds a device at the unit.
 */
function createAddDeviceLinks(rack: DrawnRack, options: RackDrawingOptions): SvgFragment[] {
  return listUnitNumbersFromTop(rack).map((position) => {
    const box = getRectangleOfUnits({ position, height: 1 }, rack, options);
    const place = `site=${rack.site}&location=${rack.location ?? ''}&rack=${rack.id}`;
    const parts = [
      SvgFragment.createSvgElement('rect', { ...box, class: 'slot' }),
      createSvgTextAt('add device', getRectangleCenter(box), { class: 'add-device' }),
    ];
    return createSvgLink(`/dcim/devices/add/?${place}&face=${options.face}&position=${position}`, parts);
  });
}

function drawReservation(
  { units, shown }: DrawnReservation,
  rack: DrawnRack,
  options: RackDrawingOptions,
): SvgFragment[] {
  return groupConsecutiveUnits(units).map(([first, last]) => {
    const { x, y, width, height } = getRectangleOfUnits({ position: first, height: last - first + 1 }, rack, options);
    const box = { x: x + width + 2 * rackBorderWidth, y, width: rackReservationColumnWidth - 3, height };
    const bar = SvgFragment.createSvgElement('rect', {
      ...box,
      class: 'reservation',
      stroke: '#4d4dff',
      'stroke-width': 2,
    });
    if (shown === null) return bar;
    const address = `${options.base}/dcim/rack-reservations/${shown.id}/`;
    return createSvgLink(address, [bar], `Reservation #${shown.id}: ${shown.description}`);
  });
}

/** Groups rack units into ranges of consecutive units. Returns the first and last unit number of each range. */
function groupConsecutiveUnits(units: readonly number[]): (readonly [first: number, last: number])[] {
  const runs: [number, number][] = [];
  for (const unit of new Set(units.toSorted((one, other) => one - other))) {
    const run = runs.at(-1);
    if (run !== undefined && run[1] === unit - 1) run[1] = unit;
    else runs.push([unit, unit]);
  }
  return runs;
}

function createDeviceClipPath(
  { position, height, shown }: DrawnDevice,
  rack: DrawnRack,
  options: RackDrawingOptions,
): SvgFragment[] {
  if (shown === null) return [];
  const box = SvgFragment.createSvgElement('rect', { ...getRectangleOfUnits({ position, height }, rack, options) });
  return [SvgFragment.createSvgElement('clipPath', { id: getDeviceClipPathId(shown, options) }, [box])];
}

function getDeviceClipPathId({ id }: VisibleRackDeviceDetails, { face }: RackDrawingOptions): string {
  return `${face}-device-${id}`;
}

function drawDevice(
  { position, height, shown }: DrawnDevice,
  rack: DrawnRack,
  options: RackDrawingOptions,
): SvgFragment {
  const box = getRectangleOfUnits({ position, height }, rack, options);
  if (shown === null) return SvgFragment.createSvgElement('rect', { ...box, class: 'blocked' });
  const shade = shown.isShaded ? ' shaded' : '';
  const fill = formatStoredColorAsCss(shown.color, '#ffffff');
  const body =
    shown.color === null
      ? SvgFragment.createSvgElement('rect', { ...box, class: `slot blocked${shade}` })
      : SvgFragment.createSvgElement('rect', { ...box, class: `slot${shade}`, style: `fill: ${fill}` });
  // The style sheet overrides attributes, but not styles.
  const small = box.height < 16 ? { style: `font-size: ${Math.max(1, Math.floor(box.height * 0.8))}px` } : {};
  const clip = { 'clip-path': `url(#${getDeviceClipPathId(shown, options)})` };
  const label = (name: string, paint: Readonly<Record<string, string>>): SvgFragment =>
    createSvgTextAt(shortenToWidth(shown.label, box.width), getRectangleCenter(box), {
      class: `${name}${shade}`,
      ...small,
      ...paint,
      ...clip,
    });
  const image =
    shown.image === null
      ? []
      : [
          SvgFragment.createSvgElement('image', {
            ...box,
            'xlink:href': shown.image,
            preserveAspectRatio: 'xMidYMid slice',
            class: `device-image${shade}`,
          }),
          label('device-image-label', { stroke: '#000000', 'stroke-width': '3', 'stroke-linejoin': 'round' }),
          label('device-image-label', { fill: '#ffffff' }),
        ];
  const parts = [body, label('label', { fill: getTextColorOn(fill) }), ...image];
  return createSvgLink(`${options.base}/dcim/devices/${shown.id}/`, parts, shown.description);
}

function drawRackFrame({ height }: DrawnRack, { legendWidth, unitWidth, unitHeight }: DrawingSizes): SvgFragment {
  const box = { x: legendWidth + rackBorderWidth / 2, y: rackBorderWidth / 2, width: unitWidth + rackBorderWidth };
  return SvgFragment.createSvgElement('rect', { ...box, height: height * unitHeight + rackBorderWidth, class: 'rack' });
}

/** Returns an SVG pattern definition of diagonal stripes in the given color. */
function createStripePattern(id: string, color: string): SvgFragment {
  const stops = [
    ['0', '#ffffff'],
    ['0.5', '#ffffff'],
    ['0.5', color],
    ['1', color],
  ] as const;
  return SvgFragment.createSvgElement(
    'linearGradient',
    { id, gradientUnits: 'userSpaceOnUse', x1: 0, y1: 0, x2: 8, y2: 8, spreadMethod: 'repeat' },
    stops.map(([offset, stop]) => SvgFragment.createSvgElement('stop', { offset, 'stop-color': stop })),
  );
}

const rackStripePatterns = [
  createStripePattern('reserved', '#c9c9ff'),
  createStripePattern('occupied', '#e3e3e3'),
  createStripePattern('blocked', '#ffd2d2'),
];

const rackDrawingStyleSheet = `
text { font-family: system-ui, sans-serif; font-size: 13px; text-anchor: middle; }
.rack { fill: none; stroke: #222222; stroke-width: 2px; }
.unit { fill: #666666; font-size: 11px; }
.slot { fill: #f7f7f7; stroke: #b5b5b5; }
.slot.blocked { fill: url(#occupied); }
.blocked { fill: url(#blocked); stroke: #b5b5b5; }
.reservation { fill: url(#reserved); }
.add-device { fill: #3060c0; opacity: 0; }
a:hover .add-device, a:focus .add-device { opacity: 1; }
.device-image-label { font-weight: bold; }
.shaded { opacity: 0.3; }
`;
