import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  CachedResponse,
  type ReadOnlyResponseDatabase,
  type ResponseCache,
  computeEntityTag,
} from '../response-memory/index.js';
import type { RepeatedRequestCache } from './repeated-request-cache.js';
import { sendJsonText } from './send-response.js';

/** Services that are needed to send cached responses to GET requests. */
export interface CachedReadServices {
  readonly memory: Pick<ResponseCache, 'getOrCreate'>;
  readonly repeatedReads: Pick<RepeatedRequestCache, 'rememberRequest'>;
}

/**
 * Sends the cached response to a GET request. If there is none, builds the response and caches it (docs/adr/0026). The
 * caller has checked the permission.
 *
 * @param make returns the JSON text of the response; must use the passed database for all reads
 */
export async function sendCachedGetResponse(
  request: FastifyRequest,
  reply: FastifyReply,
  { memory, repeatedReads }: CachedReadServices,
  key: Parameters<ResponseCache['getOrCreate']>[0],
  make: (database: ReadOnlyResponseDatabase) => Promise<string>,
): Promise<void> {
  const response = await memory.getOrCreate(key, async (database) => {
    const body = await make(database);
    return { body, headers: {}, tag: computeEntityTag(body) };
  });
  const { headers, tag } = response;
  const body = response instanceof CachedResponse ? response : response.body;
  sendJsonText(request, reply, { status: 200, body, headers, tag });
  if (response instanceof CachedResponse) repeatedReads.rememberRequest(request, key.actor, response);
}
