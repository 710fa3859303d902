import { randomUUID } from 'node:crypto';
import type { FastifyRequest } from 'fastify';

/**
 * Regular expression for request ids that are accepted from clients. An id has at most 128 characters and none that
 * could corrupt a log line or a header.
 */
const WELL_FORMED_ID_PATTERN = /^[A-Za-z0-9._:=-]{1,128}$/;

/**
 * Returns the function that assigns request ids: a new UUID version 4, or the id that the client sent if client ids are
 * trusted.
 */
export function createRequestIdGenerator(
  header: string,
  trustClient: boolean,
): (req: Pick<FastifyRequest['raw'], 'headers'>) => string {
  if (!trustClient) {
    return () => randomUUID();
  }
  return (req) => {
    const given = req.headers[header];
    return typeof given === 'string' && WELL_FORMED_ID_PATTERN.test(given) ? given : randomUUID();
  };
}
