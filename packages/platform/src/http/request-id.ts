import { randomUUID } from 'node:crypto';
import type { FastifyRequest } from 'fastify';

/** Ids from outside end in logs and headers: nothing that could break a line, and no more than a name's length. */
const WELL_FORMED = /^[A-Za-z0-9._:=-]{1,128}$/;

/** Makes the function that names requests: a new UUID version 4, or the client's own id where that is trusted. */
export function requestIds(
  header: string,
  trustClient: boolean,
): (req: Pick<FastifyRequest['raw'], 'headers'>) => string {
  if (!trustClient) {
    return () => randomUUID();
  }
  return (req) => {
    const given = req.headers[header];
    return typeof given === 'string' && WELL_FORMED.test(given) ? given : randomUUID();
  };
}
