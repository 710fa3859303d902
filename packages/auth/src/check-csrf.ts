import { areTextsEqualInConstantTime } from './constant-time.js';

/** Parts of a request from which the service determines whether the request is a cross-site request forgery. */
export interface CsrfCheckRequest {
  readonly method: string;
  /** Value of the request's CSRF cookie. */
  readonly cookie: string | undefined;
  /**
   * Returns the CSRF token that the request contains in a header or a form field. The function is called only if the
   * check needs the token for its result.
   */
  readonly presented: () => string | undefined;
  /**
   * CSRF token of the session. If undefined because the request has no session, the request must contain the token of
   * its CSRF cookie.
   */
  readonly expected?: string | undefined;
  /** Value of the request's `Origin` header, which browsers send with requests that change data. */
  readonly origin?: string | undefined;
  /** Scheme and host of this service, the only allowed origin. If undefined, the origin of a request is not checked. */
  readonly ownOrigin?: string;
}

/** Reason why a request is rejected as a possible forgery. */
export type CsrfRejectionReason = 'foreign origin' | 'no cookie' | 'no token' | 'wrong token';

const methodsWithoutCsrfCheck: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Checks a request for cross-site forgery in the same way as Django. A request that changes data must contain the token
 * of its CSRF cookie. Another site can make a browser send the cookie, but cannot read the token in it. Returns the
 * first reason to reject the request, or null.
 */
export function findCsrfRejectionReason(check: CsrfCheckRequest): CsrfRejectionReason | null {
  const { method, cookie = '', expected = cookie, origin, ownOrigin } = check;
  if (methodsWithoutCsrfCheck.has(method)) return null;
  if (ownOrigin !== undefined && origin !== undefined && origin !== ownOrigin) return 'foreign origin';
  if (cookie === '') return 'no cookie';
  const presented = check.presented() ?? '';
  if (presented === '') return 'no token';
  const isRight = areTextsEqualInConstantTime(presented, cookie) && areTextsEqualInConstantTime(presented, expected);
  return isRight ? null : 'wrong token';
}
