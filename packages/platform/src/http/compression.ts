import { constants } from 'node:zlib';
import compress from '@fastify/compress';
import type { FastifyInstance } from 'fastify';

/**
 * Compresses answers from `thresholdBytes` on by what the client accepts: br, gzip or deflate.
 *
 * Levels are those for answers made on the fly: the strongest ones cost ten times the time for a few percent. An
 * answer is compressed when it is complete, so that a held long poll waits for nothing. Request bodies are never
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
}
