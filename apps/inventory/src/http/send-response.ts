import type { FastifyReply, FastifyRequest } from 'fastify';
import { StoredResponse } from '../engine/responses/stored-response.js';
import { inventoryErrors } from '../errors.js';
import { getRequestPathAndQuery } from './request-urls.js';
import { browsablePageHeaders, renderBrowsableApiPage } from './browsable-page.js';
import { negotiateResponseFormat } from './negotiate-response-format.js';
import { type CachedEncoding, type CachedResponse, computeEntityTag } from '../response-memory/index.js';
import type { ModelResourceResponse } from '../resources/model-resource-response.js';

/**
 * Sends JSON text as response. The text is parsed only to be indented or to be shown as an HTML page. A body in a
 * temporary file is sent unchanged.
 *
 * @throws ApplicationError RESPONSE_TOO_LARGE if a read requests an HTML page of a body in a temporary file
 */
export function sendJsonText(
  request: FastifyRequest,
  reply: FastifyReply,
  { status, body, headers, tag }: ModelResourceResponse,
): void {
  reply.code(status).headers(headers);
  if (body === null) {
    reply.send();
    return;
  }
  const { indent, asPage } = negotiateResponseFormat(request.headers.accept, getRequestPathAndQuery(request).query);
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  // A change is already committed, so that its response is sent as JSON instead of an error.
  if (asPage && body instanceof StoredResponse && isRead) {
    void body.close();
    throw inventoryErrors.create('RESPONSE_TOO_LARGE', { params: { limit: String(body.maxHtmlPageBytes) } });
  }
  if (asPage && !(body instanceof StoredResponse)) {
    reply.headers(browsablePageHeaders).send(renderBrowsableApiPage(request, reply, readResponseJsonValue(body)));
    return;
  }
  if (tag !== undefined && indent === 0 && sendNotModifiedIfCurrent(request, reply, tag)) return;
  reply.header('content-type', 'application/json; charset=utf-8');
  if (body instanceof StoredResponse) return sendStoredResponse(request, reply, body);
  if (indent > 0) reply.send(JSON.stringify(readResponseJsonValue(body), null, indent));
  else if (typeof body === 'string') reply.send(body);
  else sendCachedResponse(request, reply, body);
}

/**
 * Response headers for an SVG drawing. The headers prevent a browser from running or loading anything in the drawing,
 * except images of this service.
 */
const drawingHeaders = {
  'content-type': 'image/svg+xml',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; img-src 'self'",
  'x-content-type-options': 'nosniff',
} as const;

/** Sends an SVG drawing as the response, with an entity tag that is computed from its bytes. */
export function sendDrawing(request: FastifyRequest, reply: FastifyReply, svg: string): void {
  if (!sendNotModifiedIfCurrent(request, reply, computeEntityTag(svg))) reply.headers(drawingHeaders).send(svg);
}

/**
 * Sets the entity tag of a response. If the client already has the response with this entity tag, sends status 304 and
 * returns true. Otherwise returns false.
 */
function sendNotModifiedIfCurrent(request: FastifyRequest, reply: FastifyReply, tag: string): boolean {
  reply.header('etag', tag);
  if (!isClientEntityTagCurrent(request.headers['if-none-match'], tag)) return false;
  reply.code(304).send();
  return true;
}

function readResponseJsonValue(body: string | CachedResponse): unknown {
  return JSON.parse(typeof body === 'string' ? body : body.bytes.toString());
}

/**
 * Returns true if the request header `If-None-Match` contains the entity tag of the response, by weak comparison (RFC
 * 9110, 13.1.2).
 */
function isClientEntityTagCurrent(header: string | undefined, tag: string): boolean {
  const known = (header ?? '').split(',').map((one) => one.trim().replace(/^W\//, ''));
  return known.includes('*') || known.includes(tag.replace(/^W\//, ''));
}

/**
 * Returns the content encoding in which a cached response is sent: br or gzip, or null for uncompressed bytes. Chooses
 * br or gzip only if the client accepts that encoding without weights. Returns undefined if the server's general
 * compression chooses the encoding.
 */
export function chooseCachedEncoding(headers: FastifyRequest['headers']): CachedEncoding | null | undefined {
  const accepted = String(headers['accept-encoding'] ?? '');
  if (headers['x-no-compression'] !== undefined || accepted === '' || accepted === 'identity') return null;
  if (/[;*]/.test(accepted)) return undefined;
  const names = accepted.split(/\s*,\s*/);
  return (['br', 'gzip'] as const).find((name) => names.includes(name));
}

/**
 * Returns the headers that a compressed response has in addition to or in place of its other headers. `vary` is the
 * `Vary` header of the uncompressed response.
 */
export function createCompressedHeaders(encoding: CachedEncoding, vary: string): Readonly<Record<string, string>> {
  return { 'content-encoding': encoding, vary: `${vary}, accept-encoding` };
}

/** Sends the bytes of a cached response, in the content encoding that {@link chooseCachedEncoding} returns. */
function sendCachedResponse(request: FastifyRequest, reply: FastifyReply, kept: CachedResponse): void {
  const encoding = chooseCachedEncoding(request.headers) ?? null;
  const encoded = encoding === null ? null : kept.getEncodedBytes(encoding);
  if (encoding === null || encoded === null) return void reply.send(kept.bytes);
  const send = (bytes: Buffer): void => {
    reply.headers(createCompressedHeaders(encoding, String(reply.getHeader('vary'))));
    reply.send(bytes);
  };
  if (Buffer.isBuffer(encoded)) return send(encoded);
  encoded.then(send, () => reply.send(kept.bytes));
}

/** Sends a response whose body is in a temporary file. The caller must have set the headers. */
export function sendStoredResponse({ method }: FastifyRequest, reply: FastifyReply, stored: StoredResponse): void {
  reply.header('content-length', stored.size);
  if (method !== 'HEAD') return void reply.send(stored.createByteStream());
  void stored.close();
  reply.send('');
}

/** Sends a value as JSON with status 200. */
export function sendJsonValue(request: FastifyRequest, reply: FastifyReply, value: unknown): void {
  sendJsonText(request, reply, { status: 200, body: JSON.stringify(value), headers: {} });
}
