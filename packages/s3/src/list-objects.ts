/** An object in the list of objects that an S3 bucket returns. */
export interface ListedS3Object {
  readonly key: string;
  /** Size of the S3 object in bytes. */
  readonly size: number;
  /** Time at which the object was stored, in milliseconds since 1970; null if the store does not return it. */
  readonly modifiedMs: number | null;
}

/** A page of the list of objects in an S3 bucket. */
export interface S3ObjectPage {
  /** XML elements of the S3 objects on the page; see {@link parseListedS3Object}. */
  readonly elements: readonly string[];
  /** True if the S3 store has percent-encoded the object keys on the page. */
  readonly isEncoded: boolean;
  /** Token that requests the next page of the list of objects; null on the last page. */
  readonly next: string | null;
}

/** Maximum accepted number of objects on a page of a list. S3 stores send at most 1,000 objects per page. */
const maxObjectsPerListPage = 10_000;

/**
 * Maximum length in characters of an object key or page token in the XML of a response. A key has at most 1,024 bytes
 * before encoding.
 */
const maxEncodedObjectKeyLength = 10_240;

/** Parses the response to a list request (ListObjectsV2). Returns null if the response is not a list. */
export function parseS3ObjectPage(xml: string): S3ObjectPage | null {
  if (!xml.includes('<ListBucketResult')) return null;
  const isEncoded = xml.includes('<EncodingType>url</EncodingType>');
  const [, ...elements] = xml.split('<Contents>', maxObjectsPerListPage + 2);
  if (elements.length > maxObjectsPerListPage) return null;
  const next = getXmlElementText(xml, 'NextContinuationToken');
  if (next !== null && next.length > maxEncodedObjectKeyLength) return null;
  return decodeOrReturnNull(() => ({ elements, isEncoded, next: next === null ? null : unescapeXml(next) }));
}

/** Parses the XML element of an S3 object on a page of a list. Returns null if the element is malformed. */
export function parseListedS3Object(
  element: string,
  { isEncoded }: Pick<S3ObjectPage, 'isEncoded'>,
): ListedS3Object | null {
  const written = getXmlElementText(element, 'Key') ?? '';
  if (written.length > maxEncodedObjectKeyLength) return null;
  const key = decodeOrReturnNull(() => (isEncoded ? decodeListedObjectKey(written) : unescapeXml(written)));
  if (key === null || !key.isWellFormed()) return null;
  const modifiedMs = Date.parse(getXmlElementText(element, 'LastModified') ?? '');
  const size = Number(getXmlElementText(element, 'Size') ?? 0);
  return { key, size, modifiedMs: Number.isNaN(modifiedMs) ? null : modifiedMs };
}

/** Returns the result of a decoding function, or null if the function finds a malformed escape sequence. */
function decodeOrReturnNull<T>(decode: () => T): T | null {
  try {
    return decode();
  } catch (error) {
    if (error instanceof URIError || error instanceof RangeError) return null;
    throw error;
  }
}

function getXmlElementText(xml: string, name: string): string | null {
  const start = xml.indexOf(`<${name}>`);
  const end = start < 0 ? -1 : xml.indexOf(`</${name}>`, start);
  return end < 0 ? null : xml.slice(start + name.length + 2, end);
}

function decodeListedObjectKey(text: string): string {
  return decodeURIComponent(text.replaceAll('+', ' '));
}

const xmlCharacterByEntity: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function unescapeXml(text: string): string {
  return text.replaceAll(/&(?:#x(?<hex>[\da-fA-F]{1,6})|#(?<decimal>\d{1,7})|(?<name>[a-z]{2,4}));/gu, (...found) => {
    const { hex, decimal, name } = found.at(-1) as Readonly<Record<string, string | undefined>>;
    if (name !== undefined) return xmlCharacterByEntity[name] ?? '';
    return String.fromCodePoint(hex === undefined ? Number(decimal) : Number.parseInt(hex, 16));
  });
}
