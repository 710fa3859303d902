import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { createBadRequestError } from '../../errors.js';

/**
 * Parameter decorator that provides the id in the path parameter with the given name.
 *
 * @throws ApplicationError BAD_REQUEST for a text that is not an id
 */
export const IdFromUrlPath = createParamDecorator((name: string, context: ExecutionContext) => {
  const request = context.switchToHttp().getRequest<FastifyRequest<{ Params: Record<string, string> }>>();
  const text = request.params[name] ?? '';
  if (!/^\d{1,15}$/.test(text)) throw createBadRequestError(`Invalid ${name}`);
  return Number(text);
});
