import type { FastifyReply, FastifyRequest } from 'fastify';
import { StoredResponse } from '../engine/responses/stored-response.js';
import { errors } from '../errors.js';
import { addressOf } from './addresses.js';
import { browsableHeaders, browsablePage } from './browsable-page.js';
import { negotiate } from './negotiation.js';
import type { ResourceAnswer } from './resource-service.js';

/**
 * Sends an answer whose body is JSON text already; it is parsed only for who wants it indented, or on a page. A body in a
 * temporary file is sent as it is.
 *
 * @throws AppError RESPONSE_TOO_LARGE for a page of a body in a temporary file
 */
export function sendJson(
  request: FastifyRequest,
  reply: FastifyReply,
  { status, body, headers }: ResourceAnswer,
): void {
  reply.code(status).headers(headers);
  if (body === null) {
    reply.send();
    return;
  }
  const { indent, asPage } = negotiate(request.headers.accept, addressOf(request).query);
  if (asPage && body instanceof StoredResponse) {
    void body.close();
    throw errors.create('RESPONSE_TOO_LARGE', { params: { limit: String(body.pageLimit) } });
  }
  if (asPage && typeof body === 'string') {
    reply.headers(browsableHeaders).send(browsablePage(request, reply, JSON.parse(body)));
    return;
  }
  reply.header('content-type', 'application/json; charset=utf-8');
  if (body instanceof StoredResponse) return sendStored(request, reply, body);
  const text = indent === 0 ? body : JSON.stringify(JSON.parse(body), null, indent);
  reply.send(text);
}

/** Sends a response in a temporary file, whose headers are set. */
export function sendStored({ method }: FastifyRequest, reply: FastifyReply, stored: StoredResponse): void {
  reply.header('content-length', stored.size);
  if (method !== 'HEAD') return void reply.send(stored.stream());
  void stored.close();
  reply.send('');
}

/** Sends a value as JSON with status 200. */
export function sendValue(request: FastifyRequest, reply: FastifyReply, value: unknown): void {
  sendJson(request, reply, { status: 200, body: JSON.stringify(value), headers: {} });
}
