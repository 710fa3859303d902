import { timingSafeEqualText } from '@switchboard/auth';
import type { FastifyRequest } from 'fastify';
import { chatErrors } from '../../errors.js';
import { csrfCookie, readCookie } from './cookies.js';
import { rawParameters } from './raw-parameters.js';

const safeMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Whatever changes something by a session repeats its CSRF token, in the header `X-CSRFToken` or in the field
 * `csrfmiddlewaretoken`: another site can make a browser send the cookie, and cannot read it
 * (docs/contract/chat.md 1.2).
 *
 * @param expected The token of the session; without one that of the cookie has to be repeated.
 * @throws AppError CSRF_FAILED
 */
export function checkCsrf(request: FastifyRequest, expected?: string): void {
  if (safeMethods.has(request.method)) return;
  const cookie = readCookie(request.headers.cookie, csrfCookie);
  if (cookie === undefined || cookie === '') throw csrfFailed('CSRF cookie not set.');
  const presented = header(request) ?? rawParameters(request).body.get('csrfmiddlewaretoken');
  if (presented === undefined || presented === '') throw csrfFailed('CSRF token missing.');
  const isRight = timingSafeEqualText(presented, cookie) && timingSafeEqualText(presented, expected ?? cookie);
  if (!isRight) throw csrfFailed('CSRF token incorrect.');
}

function header(request: FastifyRequest): string | undefined {
  const value = request.headers['x-csrftoken'];
  return typeof value === 'string' ? value : undefined;
}

function csrfFailed(reason: string): Error {
  return chatErrors.create('CSRF_FAILED', { params: { reason }, fields: { reason } });
}
