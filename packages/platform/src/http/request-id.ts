import { randomUUID } from 'node:crypto';
import type { FastifyRequest } from 'fastify';

/**
 * Regular expression of accepted request ids of clients: at most 128 characters, without characters that could break a
 * log line or a header.
 */
const WELL_FORMED_ID_PATTERN = /^[A-Za-z0-9._:=-]{1,128}$/;

/** Returns the function that assigns request ids: a new UUID version 4, or the client's own id if trusted. */
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
