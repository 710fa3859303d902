import { constants } from 'node:zlib';
import compress from '@fastify/compress';
import type { FastifyInstance, onSendHookHandler, RouteOptions } from 'fastify';

/**
 * Compresses responses of at least `thresholdBytes` with an encoding that the client accepts: br, gzip or deflate. The
 * compression levels are chosen for fast compression of each response. The strongest level would take ten times as long
 * and save a few percent. A response is compressed only when it is complete, so that the response to a long poll is not
 * delayed. Request bodies are never decompressed, because the body limit must count the received bytes.
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
 * Changes the compression hook of a route so that it skips small responses. The original hook checks four headers
 * before the size. For a small response, these checks cost a quarter of Fastify's own time. The compression hook is the
 * last hook of the route, because hooks run in the order of registration.
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
