import type { FastifyRequest } from 'fastify';
import { createBadRequestError, chatErrors } from '../../errors.js';
import { FormBody } from '../../infra/http/raw-parameters.js';
import { UnparsedRequestBody } from '../../infra/http/raw-body.js';

/** Maximum size of the body of an incoming webhook request, in bytes. */
const maxIncomingWebhookBodyBytes = 4 * 1024 * 1024;

/**
 * Maximum nesting depth, and maximum number of values, of a JSON body. A body beyond these limits would take long to
 * parse and to print.
 */
const [maxDepth, maxValues] = [64, 100_000];

/** Body of an incoming webhook request. */
export interface IncomingWebhookBody {
  /**
   * Bytes of the request body as received. Signatures are computed over these bytes; null for a multipart form, because
   * no sender signs multipart forms.
   */
  readonly bytes: Buffer | null;
  /** JSON text of the webhook payload. */
  readonly json: string;
}

/**
 * Returns the body of an incoming webhook: JSON, or a form with JSON in the field `payload`.
 *
 * @throws ApplicationError BAD_REQUEST for a large body, REQUEST_VARIABLE_MISSING for a form without `payload`
 */
export function parseIncomingWebhookBody({ body }: Pick<FastifyRequest, 'body'>): IncomingWebhookBody {
  if (body instanceof FormBody) return { bytes: null, json: requirePayloadField(body.fields.get('payload')) };
  if (!(body instanceof UnparsedRequestBody)) return { bytes: Buffer.alloc(0), json: '' };
  const { bytes, contentType } = body;
  if (bytes.length > maxIncomingWebhookBodyBytes)
    throw createBadRequestError(`The body is too large (limit: ${maxIncomingWebhookBodyBytes} bytes)`);
  const text = bytes.toString('utf8').replace(/^\uFEFF/, '');
  // Some programs send JSON with the content type of forms, which is the default of their library.
  const isForm = /^application\/x-www-form-urlencoded\b/i.test(contentType) && !/^\s*[[{]/.test(text);
  return { bytes, json: isForm ? requirePayloadField(new URLSearchParams(text).get('payload')) : text };
}

function requirePayloadField(value: string | null | undefined): string {
  if (value !== null && value !== undefined) return value;
  const fields = { var_name: 'payload' };
  throw chatErrors.create('REQUEST_VARIABLE_MISSING', { params: fields, fields });
}

/**
 * Parses the JSON text of a webhook payload.
 *
 * @throws ApplicationError INVALID_JSON, also for JSON with too many values or too much nesting
 */
export function parseWebhookPayload(json: string): unknown {
  if (!isJsonWithinLimits(json)) throw chatErrors.create('INVALID_JSON');
  try {
    return JSON.parse(json);
  } catch {
    throw chatErrors.create('INVALID_JSON');
  }
}

const jsonCharacterCodes = {
  quote: 0x22,
  comma: 0x2c,
  openList: 0x5b,
  backslash: 0x5c,
  closeList: 0x5d,
  openObject: 0x7b,
  closeObject: 0x7d,
} as const;

/**
 * Returns true if the nesting depth and the number of values of a JSON text are within the limits. The check precedes
 * parsing, because parsing could use too much memory.
 */
function isJsonWithinLimits(json: string): boolean {
  let [depth, values] = [0, 1];
  for (let at = 0; at < json.length; at += 1) {
    const character = json.charCodeAt(at);
    if (character === jsonCharacterCodes.quote) {
      at = findEndOfJsonString(json, at + 1);
    } else if (character === jsonCharacterCodes.comma) {
      values += 1;
    } else if (character === jsonCharacterCodes.openList || character === jsonCharacterCodes.openObject) {
      depth += 1;
      values += 1;
    } else if (character === jsonCharacterCodes.closeList || character === jsonCharacterCodes.closeObject) {
      depth -= 1;
    }
    if (depth > maxDepth || values > maxValues) return false;
  }
  return true;
}

/**
 * Returns the position of the quotation mark that ends a JSON string; the length of the JSON text if no quotation mark
 * follows.
 */
function findEndOfJsonString(json: string, start: number): number {
  let at = start;
  while (at < json.length && json.charCodeAt(at) !== jsonCharacterCodes.quote)
    at += json.charCodeAt(at) === jsonCharacterCodes.backslash ? 2 : 1;
  return at;
}
