import { type CsrfRejectionReason, findCsrfRejectionReason } from '@switchboard/auth';
import type { FastifyRequest } from 'fastify';
import { chatErrors } from '../../errors.js';
import { csrfCookieName } from './session-cookie-options.js';
import { collectUndecodedParameters } from './raw-parameters.js';

const csrfRejectionReasons: Readonly<Record<CsrfRejectionReason, string>> = {
  'foreign origin': 'Origin checking failed.',
  'no cookie': 'CSRF cookie not set.',
  'no token': 'CSRF token missing.',
  'wrong token': 'CSRF token incorrect.',
};

/**
 * Requires a CSRF token in requests of a browser session that change data. The token is in the header `X-CSRFToken` or
 * in the form field `csrfmiddlewaretoken` (docs/contract/chat.md 1.2).
 *
 * @param expected Token of the session. The sent token must equal this token and the CSRF cookie. If undefined, only
 * the cookie is compared.
 * @throws ApplicationError CSRF_FAILED
 */
export function requireCsrfToken(request: FastifyRequest, expected?: string): void {
  const header = request.headers['x-csrftoken'];
  const problem = findCsrfRejectionReason({
    method: request.method,
    cookie: request.cookies[csrfCookieName],
    presented: () =>
      typeof header === 'string' ? header : collectUndecodedParameters(request).body.get('csrfmiddlewaretoken'),
    expected,
  });
  if (problem === null) return;
  const reason = csrfRejectionReasons[problem];
  throw chatErrors.create('CSRF_FAILED', { params: { reason }, fields: { reason } });
}
