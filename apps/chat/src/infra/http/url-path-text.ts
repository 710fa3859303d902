import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { createBadRequestError } from '../../errors.js';

type RequestWithPathParameters = FastifyRequest<{ Params: Record<string, string> }>;

/**
 * Parameter decorator that provides the decoded rest of the URL path after the route. Clients may send slashes escaped
 * or unescaped (docs/contract/chat.md 1.1).
 *
 * @throws ApplicationError BAD_REQUEST for null bytes
 */
export const RemainderOfUrlPath = createParamDecorator((_data: unknown, context: ExecutionContext) =>
  decodeTextFromUrlPath('*', context),
);

/**
 * Parameter decorator that provides the text in the path parameter with the given name.
 *
 * @throws ApplicationError BAD_REQUEST for null bytes
 */
export const TextFromUrlPath = createParamDecorator((name: string, context: ExecutionContext) =>
  decodeTextFromUrlPath(name, context),
);

function decodeTextFromUrlPath(name: string, context: ExecutionContext): string {
  const text = context.switchToHttp().getRequest<RequestWithPathParameters>().params[name] ?? '';
  if (text.includes('\u0000')) throw createBadRequestError('The path must not contain null bytes');
  return text;
}
