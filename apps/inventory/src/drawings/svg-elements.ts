/** Names of the SVG elements that drawings consist of. */
type SvgElementName =
  | 'svg'
  | 'defs'
  | 'style'
  | 'linearGradient'
  | 'stop'
  | 'clipPath'
  | 'g'
  | 'a'
  | 'title'
  | 'rect'
  | 'line'
  | 'polyline'
  | 'text'
  | 'image';

/** SVG attributes by name. Attributes with an undefined value are omitted. */
type SvgAttributes = Readonly<Record<string, string | number | undefined>>;

/** A fragment of an SVG drawing. The markup of the fragment contains texts of users only in escaped form. */
export class SvgFragment {
  private constructor(readonly markup: string) {}

  /**
   * Creates an SVG element. Attribute values and text children are escaped.
   *
   * @param attributes attributes by name; names must be constants, because names are not escaped
   */
  static createSvgElement(
    name: SvgElementName,
    attributes: SvgAttributes,
    children: readonly (SvgFragment | string)[] = [],
  ): SvgFragment {
    const written = Object.entries(attributes).map(([key, value]) =>
      value === undefined ? '' : ` ${key}="${escapeSvgAttribute(String(value))}"`,
    );
    const content = children.map((child) => (typeof child === 'string' ? escapeSvgText(child) : child.markup)).join('');
    const opening = `<${name}${written.join('')}`;
    return new SvgFragment(content === '' ? `${opening}/>` : `${opening}>${content}</${name}>`);
  }
}

/** Size, style sheet and definitions of a drawing. Sizes are in pixels. */
export interface SvgCanvasProperties {
  readonly width: number;
  readonly height: number;
  readonly style: string;
  readonly definitions?: readonly SvgFragment[];
}

/** Returns a whole SVG document with the given fragments. Later fragments are drawn over earlier fragments. */
export function createSvgDocument(
  { width, height, style, definitions = [] }: SvgCanvasProperties,
  parts: readonly SvgFragment[],
): string {
  const root = {
    xmlns: 'http://www.w3.org/2000/svg',
    'xmlns:xlink': 'http://www.w3.org/1999/xlink',
    version: '1.1',
    baseProfile: 'full',
    width,
    height,
    viewBox: `0 0 ${width} ${height}`,
  };
  const defs = SvgFragment.createSvgElement('defs', {}, [
    SvgFragment.createSvgElement('style', {}, [style]),
    ...definitions,
  ]);
  return `<?xml version="1.0" encoding="utf-8"?>\n${SvgFragment.createSvgElement('svg', root, [defs, ...parts]).markup}`;
}

/** Returns a link around fragments of a drawing. Browsers show `title` while the pointer is over the link. */
export function createSvgLink(href: string, parts: readonly SvgFragment[], title?: string): SvgFragment {
  const heading = title === undefined ? [] : [SvgFragment.createSvgElement('title', {}, [title])];
  return SvgFragment.createSvgElement('a', { 'xlink:href': href, target: '_parent' }, [...heading, ...parts]);
}

/**
 * Returns an SVG text element that is vertically centered at the given point. The style sheet of the drawing sets the
 * font and the horizontal alignment.
 */
export function createSvgTextAt(text: string, { x, y }: SvgPoint, attributes: SvgAttributes = {}): SvgFragment {
  return SvgFragment.createSvgElement('text', { x, y, dy: '0.35em', ...attributes }, [text]);
}

/** A point in a drawing, in pixels from the top left corner. */
export interface SvgPoint {
  readonly x: number;
  readonly y: number;
}

/** A rectangle in a drawing, in pixels. */
export interface SvgRectangle extends SvgPoint {
  readonly width: number;
  readonly height: number;
}

/** Returns the center point of a rectangle in a drawing. */
export function getRectangleCenter({ x, y, width, height }: SvgRectangle): SvgPoint {
  return { x: x + width / 2, y: y + height / 2 };
}

/** Average width in pixels of a character of 13 pixels height. */
const averageSvgCharacterWidth = 7;

/** Shortens a text so that the text fits into a width in pixels. The calculation assumes an average character width. */
export function shortenToWidth(text: string, width: number): string {
  const most = Math.max(1, Math.floor(width / averageSvgCharacterWidth));
  const characters = [...text];
  return characters.length <= most ? text : `${characters.slice(0, most - 1).join('')}…`;
}

/**
 * Regular expression of characters that an XML document must not contain even as character references, including
 * unpaired surrogates.
 */
const forbiddenXmlCharacterPattern = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu;

const xmlCharacterReferences: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '\t': '&#9;',
  '\n': '&#10;',
  '\r': '&#13;',
};

function escapeSvgText(text: string): string {
  return text
    .replaceAll(forbiddenXmlCharacterPattern, '\u{FFFD}')
    .replaceAll(/[&<>"'\r]/g, (character) => xmlCharacterReferences[character] ?? '');
}

/** Escapes the text of an XML attribute. Also escapes white space, because XML parsers would normalize white space. */
function escapeSvgAttribute(text: string): string {
  return text
    .replaceAll(forbiddenXmlCharacterPattern, '\u{FFFD}')
    .replaceAll(/[&<>"'\t\n\r]/g, (character) => xmlCharacterReferences[character] ?? '');
}
