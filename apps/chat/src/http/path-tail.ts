import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { badRequest } from '../errors.js';

/**
 * Handler parameter: all of the path behind what the route names, decoded. Clients escape the slashes in it, or do not
 * (chat-contract 1.1).
 *
 * @throws AppError BAD_REQUEST for null bytes
 */
export const PathTail = createParamDecorator((_data: unknown, context: ExecutionContext) => {
  const request = context.switchToHttp().getRequest<FastifyRequest<{ Params: Record<string, string> }>>();
  const tail = request.params['*'] ?? '';
  if (tail.includes('\u0000')) throw badRequest('The path must not contain null bytes');
  return tail;
});
