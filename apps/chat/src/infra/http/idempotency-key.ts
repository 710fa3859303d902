import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { createBadRequestError } from '../../errors.js';

const idempotencyKeyPattern = /^[\x20-\x7e]{1,255}$/;

/**
 * Schema of the header `Idempotency-Key` for the OpenAPI document. Endpoints use the header to recognize repeated
 * requests.
 */
export const idempotencyKeyHeaderSchema = z.object({
  'Idempotency-Key': z
    .string()
    .regex(idempotencyKeyPattern)
    .optional()
    .meta({ description: 'A text that the client chooses for each message: 1 to 255 printable ASCII characters' }),
});

/**
 * Parameter decorator that provides the request header `Idempotency-Key`, or null if the header is absent.
 *
 * @throws ApplicationError BAD_REQUEST for a key that is empty, too long, or not printable ASCII
 */
export const IdempotencyKey = createParamDecorator((_data: unknown, context: ExecutionContext): string | null => {
  const key = context.switchToHttp().getRequest<FastifyRequest>().headers['idempotency-key'];
  if (key === undefined) return null;
  if (typeof key === 'string' && idempotencyKeyPattern.test(key)) return key;
  throw createBadRequestError('Idempotency-Key must have 1 to 255 printable ASCII characters');
});
