import { formatStoredColorAsCss, getTextColorOn } from './drawing-colors.js';
import {
  type SvgRectangle,
  createSvgTextAt,
  shortenToWidth,
  createSvgLink,
  getRectangleCenter,
  type SvgPoint,
  SvgFragment,
  createSvgDocument,
} from './svg-elements.js';

/**
 * An object on a cable path, in the nested format of the API: a cable termination, or the object at which the path
 * ends.
 */
export interface CablePathDrawingObject {
  readonly url: string;
  readonly display: string;
  /** The device to which a cable termination belongs. Other terminations belong to a circuit or power panel instead. */
  readonly device?: CablePathDrawingObject;
  readonly circuit?: CablePathDrawingObject;
  readonly virtual_circuit?: CablePathDrawingObject;
  readonly power_panel?: CablePathDrawingObject;
}

/** A cable or wireless link on a cable path. */
interface CablePathDrawingLink {
  readonly id: number;
  readonly url: string;
  readonly status: string;
  readonly label?: string;
  readonly color?: string;
  readonly ssid?: string;
}

/**
 * A hop of a cable path: near ends, the link from near ends to far ends, and far ends. The link is an empty list if the
 * near ends are not connected.
 */
export type CablePathDrawingHop = readonly [
  near: readonly CablePathDrawingObject[],
  link: CablePathDrawingLink | readonly [],
  far: readonly CablePathDrawingObject[],
];

/** Details to draw for a device or another object to which cable terminations belong. */
interface TerminationParentDetails {
  /** Lines of text to draw below the object's display name. */
  readonly lines: readonly string[];
  /** Background color of the object's box as six hexadecimal digits. */
  readonly color?: string;
}

export interface CablePathDrawingOptions {
  /** Width of the drawing in pixels. */
  readonly width: number;
  /** Scheme and host with which link URLs in the cable path drawing begin. */
  readonly base: string;
  /** Details of devices and other objects to which cable terminations belong, by the `url` of the object. */
  readonly details?: ReadonlyMap<string, TerminationParentDetails>;
}

/** A row of the cable path drawing: adjacent boxes, or the link between two rows of boxes. */
type CablePathDrawingRow =
  | { readonly kind: 'parents' | 'terminations'; readonly objects: readonly CablePathDrawingObject[] }
  | { readonly kind: 'link'; readonly link: CablePathDrawingLink | null; readonly near: number; readonly far: number };

const cablePathBoxPadding = 10;
const cablePathTextLineHeight = 20;
/**
 * Height in pixels of the space between the boxes and the label of a link. In this space, lines from the link spread to
 * several terminations.
 */
const cablePathLineFanHeight = 35;
/** Offset of half a pixel that aligns lines with the pixel grid, so that lines look sharp. */
const pixelAlignmentOffset = 0.5;

/** Draws the hops of a cable path as SVG, from top to bottom (docs/contract/inventory.md 2.2). */
export function drawCablePath(hops: readonly CablePathDrawingHop[], options: CablePathDrawingOptions): string {
  let y = pixelAlignmentOffset;
  const [links, boxes]: [SvgFragment[], SvgFragment[]] = [[], []];
  for (const row of hops.flatMap(createDrawingRowsOfHop)) {
    const height = getTraceRowHeight(row, options);
    if (row.kind === 'link') links.push(drawCableOrWirelessLink(row, { y, height }, options));
    else boxes.push(...drawBoxRow(row, { y, height }, options));
    y += height;
  }
  return createSvgDocument({ width: options.width, height: y + 2, style: cablePathDrawingStyleSheet }, [
    ...links,
    ...boxes,
  ]);
}

/**
 * Returns the drawing rows for a hop of a cable path. Only the first hop gets a row for the devices at the near ends.
 * For later hops, the rows of the previous hop already contain these devices.
 */
function createDrawingRowsOfHop([near, between, far]: CablePathDrawingHop, index: number): CablePathDrawingRow[] {
  const found = isTraceLink(between) ? between : null;
  const start: CablePathDrawingRow[] = index === 0 ? createBoxRow('parents', listParentObjects(near)) : [];
  const rows: CablePathDrawingRow[] = [...start, ...createBoxRow('terminations', near)];
  if (found === null && far.length === 0) return rows;
  const isAttached = found === null;
  return [
    ...rows,
    { kind: 'link', link: found, near: near.length, far: far.length },
    ...(isAttached
      ? createBoxRow('parents', far)
      : [...createBoxRow('terminations', far), ...createBoxRow('parents', listParentObjects(far))]),
  ];
}

function createBoxRow(
  kind: 'parents' | 'terminations',
  objects: readonly CablePathDrawingObject[],
): CablePathDrawingRow[] {
  return objects.length === 0 ? [] : [{ kind, objects }];
}

function isTraceLink(between: CablePathDrawingLink | readonly []): between is CablePathDrawingLink {
  return !Array.isArray(between);
}

/** Returns the devices and other objects to which the given terminations belong, without duplicates. */
function listParentObjects(terminations: readonly CablePathDrawingObject[]): CablePathDrawingObject[] {
  const parents = terminations.flatMap(
    ({ device, circuit, virtual_circuit: virtualCircuit, power_panel: panel }) =>
      device ?? circuit ?? virtualCircuit ?? panel ?? [],
  );
  return [...new Map(parents.map((parent) => [parent.url, parent])).values()];
}

function getTraceRowHeight(row: CablePathDrawingRow, options: CablePathDrawingOptions): number {
  if (row.kind === 'link')
    return (
      4 * cablePathBoxPadding + createLinkLabels(row.link).length * cablePathTextLineHeight + 2 * cablePathLineFanHeight
    );
  const lines = row.objects.map((object) => createBoxTextLines(row.kind, object, options).length);
  return 2 * cablePathBoxPadding + Math.max(...lines) * cablePathTextLineHeight;
}

function createBoxTextLines(
  kind: CablePathDrawingRow['kind'],
  object: CablePathDrawingObject,
  { details }: CablePathDrawingOptions,
): readonly string[] {
  return [object.display, ...(kind === 'parents' ? (details?.get(object.url)?.lines ?? []) : [])];
}

function drawBoxRow(
  { kind, objects }: Extract<CablePathDrawingRow, { objects: unknown }>,
  { y, height }: Pick<SvgRectangle, 'y' | 'height'>,
  options: CablePathDrawingOptions,
): SvgFragment[] {
  const width = options.width / objects.length;
  return objects.map((object, index) => {
    const box = { x: index * width + pixelAlignmentOffset, y, width: Math.max(width - 2, 0), height };
    const stored = kind === 'parents' ? options.details?.get(object.url)?.color : undefined;
    const fill = formatStoredColorAsCss(stored, kind === 'parents' ? '#e0e0e0' : '#f0f0f0');
    const frame = SvgFragment.createSvgElement('rect', {
      ...box,
      rx: kind === 'parents' ? 10 : 5,
      class: 'parent-object',
      style: `fill: ${fill}`,
    });
    const texts = createBoxTextLines(kind, object, options).map((line, at) => {
      const place = {
        x: getRectangleCenter(box).x,
        y: y + cablePathBoxPadding + (at + pixelAlignmentOffset) * cablePathTextLineHeight,
      };
      const weight = at === 0 ? { class: 'bold' } : {};
      return createSvgTextAt(shortenToWidth(line, box.width), place, { fill: getTextColorOn(fill), ...weight });
    });
    return createLinkToObjectPage(object.url, [frame, ...texts], options);
  });
}

/**
 * Draws a cable or wireless link with the labels of the link, and lines to all terminations on both sides of the link.
 */
function drawCableOrWirelessLink(
  { link: drawn, near, far }: Extract<CablePathDrawingRow, { link: unknown }>,
  { y, height }: Pick<SvgRectangle, 'y' | 'height'>,
  options: CablePathDrawingOptions,
): SvgFragment {
  const x = options.width / 2 + pixelAlignmentOffset;
  const top = near === 1 ? y : y + cablePathLineFanHeight;
  const bottom = far === 1 ? y + height : y + height - cablePathLineFanHeight;
  const paths = [
    [
      { x, y: top },
      { x, y: bottom },
    ],
    ...drawLinesFromPoint(near, { x, y: top }, { y, width: options.width }),
    ...drawLinesFromPoint(far, { x, y: bottom }, { y: y + height, width: options.width }),
  ];
  const labels = createLinkLabels(drawn).map((text, index) => {
    const place = {
      x: x + 2 * cablePathBoxPadding,
      y:
        y + cablePathLineFanHeight + 2 * cablePathBoxPadding + (index + pixelAlignmentOffset) * cablePathTextLineHeight,
    };
    return createSvgTextAt(shortenToWidth(text, options.width / 2 - 2 * cablePathBoxPadding), place, {
      class: index === 0 ? 'bold label' : 'label',
    });
  });
  const url = drawn?.url ?? null;
  return SvgFragment.createSvgElement('g', { class: 'connector' }, [
    ...paths.flatMap((points) => drawBorderedLine(points, drawn)),
    ...(url === null ? [] : [createLinkToObjectPage(url, labels, options)]),
  ]);
}

/**
 * Returns lines from a point to several terminations. Returns no line for a single termination, because the point
 * touches that termination.
 */
function drawLinesFromPoint(
  count: number,
  from: SvgPoint,
  { y, width }: { readonly y: number; readonly width: number },
): SvgPoint[][] {
  if (count < 2) return [];
  return Array.from({ length: count }, (_, index) => [
    from,
    { x: ((index + pixelAlignmentOffset) * width) / count, y },
  ]);
}

/** Draws a line twice: first a wide line as the border, then a narrower line in the color of the cable. */
function drawBorderedLine(points: readonly SvgPoint[], drawn: CablePathDrawingLink | null): SvgFragment[] {
  const path = points.map(({ x, y }) => `${x},${y}`).join(' ');
  const [{ x: x1, y: y1 } = { x: 0, y: 0 }, { x: x2, y: y2 } = { x: 0, y: 0 }] = points;
  const line = (attributes: Readonly<Record<string, string>>): SvgFragment =>
    points.length === 2 && x1 === x2
      ? SvgFragment.createSvgElement('line', { x1, y1, x2, y2, ...attributes })
      : SvgFragment.createSvgElement('polyline', { points: path, ...attributes });
  if (drawn === null) return [line({ class: 'attachment' })];
  if (isWirelessLinkUrl(drawn)) return [line({ class: 'wireless-link' })];
  return [
    line({ class: 'cable-shadow' }),
    line({ style: `stroke: ${formatStoredColorAsCss(drawn.color, '#000000')}` }),
  ];
}

function isWirelessLinkUrl({ url }: CablePathDrawingLink): boolean {
  return /\/wireless-links\/\d+\/$/u.test(url);
}

function createLinkLabels(drawn: CablePathDrawingLink | null): string[] {
  if (drawn === null) return [];
  const status = `${drawn.status.charAt(0).toUpperCase()}${drawn.status.slice(1)}`;
  if (isWirelessLinkUrl(drawn)) return [`Wireless link ${drawn.ssid || `#${drawn.id}`}`, status];
  return [`Cable ${drawn.label || `#${drawn.id}`}`, status];
}

/**
 * Wraps fragments of a drawing in a link to the browser page of an object. The path of the browser page is the path of
 * the object's API URL without `/api`.
 */
function createLinkToObjectPage(
  url: string,
  parts: readonly SvgFragment[],
  { base }: CablePathDrawingOptions,
): SvgFragment {
  const path = /\/api(?<path>\/[a-z-]+\/[a-z-]+\/\d+\/)$/u.exec(url)?.groups?.['path'];
  return path === undefined ? SvgFragment.createSvgElement('g', {}, parts) : createSvgLink(`${base}${path}`, parts);
}

const cablePathDrawingStyleSheet = `
text { font-family: system-ui, sans-serif; font-size: 13px; text-anchor: middle; }
.label { text-anchor: start; }
.bold { font-weight: bold; }
.parent-object { stroke: #606060; }
line, polyline { fill: none; stroke: #000000; stroke-width: 4px; }
.cable-shadow { stroke: #404040; stroke-width: 6px; }
.wireless-link { stroke-dasharray: 4px 8px; stroke-linecap: round; }
.attachment { stroke-dasharray: 6px; stroke-width: 3px; }
`;
