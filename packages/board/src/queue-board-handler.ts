import { EventLogUnavailableError, RedisUnavailableError } from '@switchboard/queue';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { QueueBoard, type QueueBoardRequest } from './queue-board.js';
import { QueueBoardError } from './queue-board-error.js';
import type { QueueBoardOptions } from './queue-board-options.js';
import { getOriginOfRequest, isSameOriginRequest } from './request-origin.js';

/**
 * Guard of a service, which decides about each request to the board, including requests for static files. Returns true
 * to admit the request. Otherwise the guard throws the error of the service. Or it sends a response, such as a redirect
 * to the login page, waits for the end of the sending, and returns false. Without a response, the board responds with
 * status 403.
 */
export type QueueBoardGuard = (request: FastifyRequest, reply: FastifyReply) => boolean | Promise<boolean>;

/** Function that handles a request to the board. */
export type QueueBoardHandler = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

/** Options of a board that is mounted in a service. */
export interface QueueBoardHandlerOptions extends QueueBoardOptions {
  readonly guard: QueueBoardGuard;
  /**
   * URL path of the board as browsers see it. Needed behind a proxy that changes paths. Default: the path of the route.
   */
  readonly publicPath?: string | undefined;
  /**
   * Returns scheme, host and port of the service as browsers see them. Requests that change something are accepted
   * only from pages of this origin. Default: those of the request, from forwarding headers if Fastify trusts the proxy.
   */
  readonly getOrigin?: ((request: FastifyRequest) => string) | undefined;
  /**
   * Returns the service's own error for an error of the board. Default: the error, whose `statusCode` Fastify uses;
   * in Nest an `HttpException` with the same status, code and message.
   */
  readonly createError?: ((error: QueueBoardError, request: FastifyRequest) => Error) | undefined;
}

/**
 * Returns a function that handles all requests below a route of Fastify whose path ends with `/*`, and requests to the
 * path itself.
 *
 * @throws TypeError if the options contain no guard
 */
export function createQueueBoardHandler(options: QueueBoardHandlerOptions): QueueBoardHandler {
  const { guard, createError = (error: QueueBoardError) => error } = options;
  if (typeof guard !== 'function') throw new TypeError('The board needs the option guard');
  const board = new QueueBoard(options);
  return async (request, reply) => {
    reply.headers({ 'cache-control': 'no-store', vary: 'Cookie, Origin', 'x-content-type-options': 'nosniff' });
    try {
      const isAdmitted = await guard(request, reply);
      if (reply.sent) return;
      // A hook of Fastify, which returns nothing, admits no request.
      if (isAdmitted !== true) throw new QueueBoardError('BOARD_FORBIDDEN');
      const { status, headers, body } = await board.respondToRequest(toBoardRequest(request, options));
      await reply.code(status).headers(headers).send(body);
    } catch (error) {
      const boardError = toQueueBoardError(error);
      throw boardError === null ? error : createError(boardError, request);
    }
  };
}

/** Returns the error of the board that an error stands for, or null. */
function toQueueBoardError(error: unknown): QueueBoardError | null {
  if (error instanceof QueueBoardError) return error;
  const isUnavailable = error instanceof RedisUnavailableError || error instanceof EventLogUnavailableError;
  return isUnavailable ? new QueueBoardError('BOARD_UNAVAILABLE', { cause: error }) : null;
}

function toBoardRequest(
  request: FastifyRequest,
  { publicPath, getOrigin = getOriginOfRequest }: QueueBoardHandlerOptions,
): QueueBoardRequest {
  const [, path = '', query = ''] = /^([^?]*)\??(.*)$/s.exec(request.url) ?? [];
  const routePath = addTrailingSlash((request.routeOptions.url ?? '').replace(/\*$/, ''));
  const isBelow = path.startsWith(routePath);
  if (!isBelow && `${path}/` !== routePath) throw new QueueBoardError('BOARD_NOT_FOUND');
  return {
    method: request.method,
    path: isBelow ? path.slice(routePath.length - 1) : '/',
    query: new URLSearchParams(query),
    basePath: addTrailingSlash(publicPath ?? routePath),
    isSameOrigin: isSameOriginRequest(request.headers, getOrigin(request)),
  };
}

const addTrailingSlash = (path: string): string => (path.endsWith('/') ? path : `${path}/`);
