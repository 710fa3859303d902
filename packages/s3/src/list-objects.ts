/** An object as its bucket lists it. */
export interface ListedObject {
  readonly key: string;
  /** Size in bytes. */
  readonly size: number;
}

/** A page of a list of objects. */
export interface ObjectPage {
  readonly objects: readonly ListedObject[];
  /** Token with which the next page is requested; null on the last page. */
  readonly next: string | null;
}

/** Maximum number of objects on a page. Stores send at most 1,000. */
const maxObjects = 10_000;

/** Parses the response to a list request (ListObjectsV2); null if it is none. */
export function parseObjectPage(xml: string): ObjectPage | null {
  if (!xml.includes('<ListBucketResult')) return null;
  const isEncoded = xml.includes('<EncodingType>url</EncodingType>');
  const [, ...contents] = xml.split('<Contents>', maxObjects + 2);
  if (contents.length > maxObjects) return null;
  try {
    const objects = contents.map((content) => {
      const key = textOf(content, 'Key') ?? '';
      return { key: isEncoded ? decodeForm(key) : unescapeXml(key), size: Number(textOf(content, 'Size') ?? 0) };
    });
    if (!objects.every(({ key }) => key.isWellFormed())) return null;
    const next = textOf(xml, 'NextContinuationToken');
    return { objects, next: next === null ? null : unescapeXml(next) };
  } catch (error) {
    // A malformed escape.
    if (error instanceof URIError || error instanceof RangeError) return null;
    throw error;
  }
}

function textOf(xml: string, name: string): string | null {
  const start = xml.indexOf(`<${name}>`);
  const end = start < 0 ? -1 : xml.indexOf(`</${name}>`, start);
  return end < 0 ? null : xml.slice(start + name.length + 2, end);
}

function decodeForm(text: string): string {
  return decodeURIComponent(text.replaceAll('+', ' '));
}

const namedCharacters: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function unescapeXml(text: string): string {
  return text.replaceAll(/&(?:#x(?<hex>[\da-fA-F]{1,6})|#(?<decimal>\d{1,7})|(?<name>[a-z]{2,4}));/gu, (...found) => {
    const { hex, decimal, name } = found.at(-1) as Readonly<Record<string, string | undefined>>;
    if (name !== undefined) return namedCharacters[name] ?? '';
    return String.fromCodePoint(hex === undefined ? Number(decimal) : Number.parseInt(hex, 16));
  });
}
