import type { FastifyInstance, FastifyRequest } from 'fastify';
import { inventoryErrors } from '../errors.js';
import { multipartFormType, parseMultipartForm } from './multipart-form.js';

// Serializing a deeper value would overflow the stack, which parsing does not.
const maxRequestJsonDepth = 100;

/**
 * A request body that is not parsed yet. The body is parsed only after the request is authenticated
 * (docs/contract/inventory.md 1.2, 1.5).
 */
class UnparsedBody {
  constructor(
    private readonly mediaType: string,
    private readonly content: Buffer,
  ) {}

  /**
   * Parses the request body as JSON, or as the fields of a multipart form. Returns `{}` for an empty body.
   *
   * @throws ApplicationError UNSUPPORTED_MEDIA_TYPE, PARSE_ERROR or FORM_PARSE_ERROR
   */
  async parseBody(): Promise<unknown> {
    const type = this.mediaType.split(';', 1)[0]?.trim().toLowerCase();
    if (type === multipartFormType && this.content.length > 0) return parseMultipartForm(this.mediaType, this.content);
    const text = this.content.toString('utf8');
    if (text.trim() === '') return {};
    if (type !== 'application/json') {
      throw inventoryErrors.create('UNSUPPORTED_MEDIA_TYPE', { params: { type: this.mediaType } });
    }
    const value = parseJsonBody(text);
    if (isJsonNestedDeeperThan(value, maxRequestJsonDepth)) {
      throw inventoryErrors.create('PARSE_ERROR', {
        params: { reason: `More than ${maxRequestJsonDepth} levels of nesting` },
      });
    }
    return value;
  }

  /**
   * Parses the request body as the fields of an HTML form, and returns the fields.
   *
   * @throws ApplicationError UNSUPPORTED_MEDIA_TYPE
   */
  parseFormFields(): URLSearchParams {
    const type = this.mediaType.split(';', 1)[0]?.trim().toLowerCase();
    if (this.content.length > 0 && type !== 'application/x-www-form-urlencoded') {
      throw inventoryErrors.create('UNSUPPORTED_MEDIA_TYPE', { params: { type: this.mediaType } });
    }
    return new URLSearchParams(this.content.toString('utf8'));
  }
}

function parseJsonBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw inventoryErrors.create('PARSE_ERROR', { params: { reason: getJsonErrorMessage(text) }, cause });
  }
}

/** Parses the body of a request and returns its value. Returns `{}` if the request has no body. */
export async function parseRequestBody(body: unknown): Promise<unknown> {
  return body instanceof UnparsedBody ? body.parseBody() : {};
}

/** Parses a request body as the fields of an HTML form, and returns the fields. */
export function parseRequestFormFields(body: unknown): URLSearchParams {
  return body instanceof UnparsedBody ? body.parseFormFields() : new URLSearchParams();
}

/**
 * Makes Fastify accept request bodies of any media type without parsing them.
 *
 * @param largestForm maximum size of a multipart body in bytes; for other bodies, the limit of the server applies
 */
export function registerUnparsedBodies(fastify: FastifyInstance, largestForm: number): void {
  fastify.removeAllContentTypeParsers();
  const keep = async (request: FastifyRequest, content: Buffer): Promise<UnparsedBody> =>
    new UnparsedBody(request.headers['content-type'] ?? '', content);
  fastify.addContentTypeParser<Buffer>(multipartFormType, { parseAs: 'buffer', bodyLimit: largestForm }, keep);
  fastify.addContentTypeParser<Buffer>('*', { parseAs: 'buffer' }, keep);
}

/**
 * Returns the error message for a text that cannot be parsed as JSON. If the text does not begin like JSON, the message
 * equals that of the reference API, which clients compare (docs/contract/inventory.md 1.5).
 */
function getJsonErrorMessage(text: string): string {
  const first = text.trimStart();
  const column = text.length - first.length + 1;
  return /^[[{"\d-]/.test(first) ? 'Invalid JSON' : `Expecting value: line 1 column ${column} (char ${column - 1})`;
}

function isJsonNestedDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((member) => isJsonNestedDeeperThan(member, levels - 1));
}
