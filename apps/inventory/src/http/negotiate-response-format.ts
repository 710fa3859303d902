import { inventoryErrors } from '../errors.js';
import { compatibleApiVersion } from '../inventory-version.js';

/** Format of an API response, which depends on the request's `Accept` header and parameters. */
export interface ResponseFormat {
  /** Number of spaces by which each level of the response's JSON is indented. With 0, the JSON is a single line. */
  readonly indent: number;
  /** True if the response is an HTML page that shows the JSON of the response. */
  readonly asPage: boolean;
  /** True if the response is plain text. Only some URL paths support plain text. */
  readonly asText: boolean;
}

interface AcceptedMediaRange {
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
}

const plainTextMediaType = 'text/plain';
const acceptableMediaRanges = new Set(['*/*', 'application/*', 'application/json', 'text/html', 'text/*']);

/**
 * Determines the response's format from the header `Accept` and the parameter `format` (docs/contract/inventory.md
 * 1.1). Clients that prefer HTML, such as browsers, get an HTML page.
 *
 * @throws ApplicationError NOT_ACCEPTABLE, INVALID_VERSION, or NOT_FOUND for an unknown format
 */
export function negotiateResponseFormat(
  accept: string | undefined,
  query: URLSearchParams,
  { text = false }: { readonly text?: boolean } = {},
): ResponseFormat {
  const format = query.get('format');
  const formats = ['', 'json', 'api', ...(text ? ['txt'] : [])];
  if (format !== null && !formats.includes(format)) throw inventoryErrors.create('NOT_FOUND');
  const ranges = (accept ?? '*/*').split(',').map(parseMediaRange);
  for (const { parameters } of ranges) {
    const version = parameters.get('version');
    if (version !== undefined && version !== compatibleApiVersion) throw inventoryErrors.create('INVALID_VERSION');
  }
  // The reference server prefers JSON to text, whatever the order of the ranges.
  const json = text ? ranges.find(({ type }) => type === 'application/json') : undefined;
  const chosen =
    json ?? ranges.find(({ type }) => acceptableMediaRanges.has(type) || (text && type === plainTextMediaType));
  if (chosen === undefined && format === null) throw inventoryErrors.create('NOT_ACCEPTABLE');
  const indent = Number(chosen?.parameters.get('indent') ?? 0);
  return {
    indent: Number.isInteger(indent) ? Math.min(Math.max(indent, 0), 8) : 0,
    asText: format === 'txt' || (!format && text && (chosen?.type === plainTextMediaType || chosen?.type === 'text/*')),
    asPage: format === 'api' || (!format && chosen?.type === 'text/html'),
  };
}

function parseMediaRange(text: string): AcceptedMediaRange {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim());
  return {
    type: type.toLowerCase() === '' ? '*/*' : type.toLowerCase(),
    parameters: new Map(
      parameters.map((part) => {
        const [name = '', value = ''] = part.split('=');
        return [name.trim().toLowerCase(), value.trim()] as const;
      }),
    ),
  };
}
