import type { FastifyReply, FastifyRequest } from 'fastify';
import { addressOf } from './addresses.js';
import { browsableHeaders, browsablePage } from './browsable-page.js';
import { negotiate } from './negotiation.js';
import type { ResourceAnswer } from './resource-service.js';

/** Sends an answer whose body is JSON text already; it is parsed only for who wants it indented, or on a page. */
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
  if (asPage) {
    reply.headers(browsableHeaders).send(browsablePage(request, reply, JSON.parse(body)));
    return;
  }
  const text = indent === 0 ? body : JSON.stringify(JSON.parse(body), null, indent);
  reply.header('content-type', 'application/json; charset=utf-8').send(text);
}

/** Sends a value as JSON with status 200. */
export function sendValue(request: FastifyRequest, reply: FastifyReply, value: unknown): void {
  sendJson(request, reply, { status: 200, body: JSON.stringify(value), headers: {} });
}
