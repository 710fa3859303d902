import { type CsrfRejectionReason, findCsrfRejectionReason } from '@switchboard/auth';
import type { FastifyRequest } from 'fastify';
import { inventoryErrors } from '../errors.js';
import { getRequestUrlBase } from './request-urls.js';
import { csrfCookie } from './cookies.js';

/**
 * Checks the CSRF token of a request by which a browser session changes data (docs/contract/inventory.md 1.2).
 *
 * @param expected token of the session; without a session, the token must equal the cookie
 * @param presented token in a form, instead of the header `X-CSRFToken`
 * @throws ApplicationError CSRF_FAILED
 */
export function checkCsrfToken(request: FastifyRequest, expected?: string, presented?: string): void {
  const { origin, 'x-csrftoken': header } = request.headers;
  const problem = findCsrfRejectionReason({
    method: request.method,
    cookie: request.cookies[csrfCookie],
    presented: () => presented ?? (typeof header === 'string' ? header : undefined),
    expected,
    origin,
    ownOrigin: getRequestUrlBase(request),
  });
  if (problem === null) return;
  const reasons: Readonly<Record<CsrfRejectionReason, string>> = {
    'foreign origin': `Origin checking failed - ${origin} does not match any trusted origins.`,
    'no cookie': 'CSRF cookie not set.',
    'no token': 'CSRF token missing.',
    'wrong token':
      presented === undefined
        ? "CSRF token from the 'X-Csrftoken' HTTP header incorrect."
        : 'CSRF token from POST incorrect.',
  };
  throw inventoryErrors.create('CSRF_FAILED', { params: { reason: reasons[problem] } });
}
