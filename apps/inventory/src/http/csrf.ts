import { timingSafeEqualText } from '@switchboard/auth';
import type { FastifyRequest } from 'fastify';
import { errors } from '../errors.js';
import { baseOf } from './addresses.js';
import { cookieOf, csrfCookie } from './cookies.js';

const safeMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Whatever changes something for a browser repeats the CSRF token: another site can make a browser send the cookie, but
 * cannot read it (docs/contract/inventory.md 1.2).
 *
 * @param expected the token of the session; the cookie alone is repeated where there is no session yet
 * @param presented the token in a form, in place of the header `X-CSRFToken`
 * @throws AppError CSRF_FAILED
 */
export function checkCsrf(request: FastifyRequest, expected?: string, presented?: string): void {
  if (safeMethods.has(request.method)) return;
  const { origin } = request.headers;
  if (origin !== undefined && origin !== baseOf(request)) {
    throw failed(`Origin checking failed - ${origin} does not match any trusted origins.`);
  }
  const cookie = cookieOf(request, csrfCookie) ?? '';
  if (cookie === '') throw failed('CSRF cookie not set.');
  const header = request.headers['x-csrftoken'];
  const given = presented ?? (typeof header === 'string' ? header : '');
  if (given === '') throw failed('CSRF token missing.');
  if (!timingSafeEqualText(given, cookie) || !timingSafeEqualText(given, expected ?? cookie)) {
    throw failed(
      presented === undefined
        ? "CSRF token from the 'X-Csrftoken' HTTP header incorrect."
        : 'CSRF token from POST incorrect.',
    );
  }
}

function failed(reason: string): Error {
  return errors.create('CSRF_FAILED', { params: { reason } });
}
