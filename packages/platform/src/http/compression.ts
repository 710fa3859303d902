import { constants } from 'node:zlib';
import compress from '@fastify/compress';
import type { FastifyInstance, onSendHookHandler, RouteOptions } from 'fastify';

/**
 * Compresses responses of at least `thresholdBytes` with an encoding that the client accepts: br, gzip or deflate. The
 * compression levels suit responses that are compressed for each request. The strongest level takes ten times as long
 * and saves a few percent. A response is compressed when it is complete, so that a long poll is not delayed. Request
 * bodies are never decompressed, because the body limit must count the received bytes.
 */
export async function compressResponses(fastify: FastifyInstance, thresholdBytes: number): Promise<void> {
  await fastify.register(compress, {
    global: true,
    globalDecompression: false,
    threshold: thresholdBytes,
    encodings: ['br', 'gzip', 'deflate', 'identity'],
    brotliOptions: { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } },
    zlibOptions: { level: 4 },
  });
  fastify.addHook('onRoute', (route) => skipSmallResponses(route, thresholdBytes));
}

/**
 * Skips the compression of small responses. Compression checks four headers before the size, which for a small response
 * costs a quarter of Fastify's own time. This hook is the last of the route, because hooks run in the order of
 * registration.
 */
function skipSmallResponses(route: RouteOptions, thresholdBytes: number): void {
  const hooks = [route.onSend ?? []].flat();
  const compressResponse = hooks.pop();
  if (compressResponse === undefined) {
    return;
  }
  const compressLarge: onSendHookHandler = function (request, reply, payload, done) {
    // A UTF-16 unit takes at most three bytes, so this never skips a response that reaches the threshold.
    if (typeof payload === 'string' && payload.length * 3 < thresholdBytes) {
      done(null, payload);
    } else {
      void compressResponse.call(this, request, reply, payload, done);
    }
  };
  route.onSend = [...hooks, compressLarge];
}
