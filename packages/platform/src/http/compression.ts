import { constants } from 'node:zlib';
import compress from '@fastify/compress';
import type { FastifyInstance, onSendHookHandler, RouteOptions } from 'fastify';

/**
 * Compresses answers from `thresholdBytes` on by what the client accepts: br, gzip or deflate.
 *
 * Levels are those for answers made on the fly: the strongest ones cost ten times the time for a few percent. A
 * response is compressed when it is complete, so that a held long poll waits for nothing. Request bodies are never
 * decompressed: the body limit must count what is read, not what it swells to.
 */
export async function compressAnswers(fastify: FastifyInstance, thresholdBytes: number): Promise<void> {
  await fastify.register(compress, {
    global: true,
    globalDecompression: false,
    threshold: thresholdBytes,
    encodings: ['br', 'gzip', 'deflate', 'identity'],
    brotliOptions: { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } },
    zlibOptions: { level: 4 },
  });
  fastify.addHook('onRoute', (route) => skipSmallAnswers(route, thresholdBytes));
}

/**
 * The plugin looks at four headers before it looks at the size, which costs a small answer a quarter of Fastify's own
 * time. Its hook is the last one of the route when this runs, as hooks of one name run in the order of registration.
 */
function skipSmallAnswers(route: RouteOptions, thresholdBytes: number): void {
  const hooks = [route.onSend ?? []].flat();
  const compressAnswer = hooks.pop();
  if (compressAnswer === undefined) {
    return;
  }
  const compressLarge: onSendHookHandler = function (request, reply, payload, done) {
    // A UTF-16 unit takes at most three bytes, so that this never skips what is large enough.
    if (typeof payload === 'string' && payload.length * 3 < thresholdBytes) {
      done(null, payload);
    } else {
      void compressAnswer.call(this, request, reply, payload, done);
    }
  };
  route.onSend = [...hooks, compressLarge];
}
