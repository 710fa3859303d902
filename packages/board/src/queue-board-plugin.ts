import type { FastifyInstance } from 'fastify';
import { createQueueBoardHandler, type QueueBoardHandlerOptions } from './queue-board-handler.js';

/** Options of {@link queueBoardPlugin}: those of the request handler and the path at which Fastify mounts the board. */
export interface QueueBoardPluginOptions extends QueueBoardHandlerOptions {
  /** URL path of the board, such as `/admin/board`. Must not contain parameters. */
  readonly prefix: string;
}

/** Maximum length of a request's body, in bytes. Requests of the board have no body. */
const BODY_LIMIT = 1_024;

/**
 * Plugin of Fastify that mounts a board below the option `prefix`. The guard runs after all hooks of the service.
 *
 * @throws TypeError if the options contain no guard, or the prefix contains parameters
 */
export async function queueBoardPlugin(server: FastifyInstance, options: QueueBoardPluginOptions): Promise<void> {
  if (/[:*]/.test(server.prefix)) throw new TypeError(`The prefix of the board contains parameters: ${server.prefix}`);
  const handler = createQueueBoardHandler(options);
  for (const path of ['/', '/*']) server.all(path, { bodyLimit: BODY_LIMIT }, handler);
}
