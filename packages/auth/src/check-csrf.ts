import { areTextsEqualInConstantTime } from './constant-time.js';

/** Parts of a request that determine if it is a cross-site request forgery. */
export interface CsrfCheckRequest {
  readonly method: string;
  /** Value of the request's CSRF cookie. */
  readonly cookie: string | undefined;
  /**
   * Returns the CSRF token that the request contains in a header or a form field. The function is called only if the
   * other parts of the request do not decide the check.
   */
  readonly presented: () => string | undefined;
  /** CSRF token of the session. Without a session, the request must contain the token of the cookie. */
  readonly expected?: string | undefined;
  /** Value of the request's `Origin` header, which browsers send with requests that change data. */
  readonly origin?: string | undefined;
  /** Scheme and host of this service, the only allowed origin. If undefined, origins are not checked. */
  readonly ownOrigin?: string;
}

/** Reason why a request is rejected as a possible forgery. */
export type CsrfProblem = 'foreign origin' | 'no cookie' | 'no token' | 'wrong token';

const methodsWithoutCsrfCheck: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Checks a request for forgery as Django does: a request that changes data must contain its CSRF token. Another site
 * can make a browser send the cookie, but cannot read it. Returns the first reason to reject the request, or null.
 */
export function findCsrfProblem(check: CsrfCheckRequest): CsrfProblem | null {
  const { method, cookie = '', expected = cookie, origin, ownOrigin } = check;
  if (methodsWithoutCsrfCheck.has(method)) return null;
  if (ownOrigin !== undefined && origin !== undefined && origin !== ownOrigin) return 'foreign origin';
  if (cookie === '') return 'no cookie';
  const presented = check.presented() ?? '';
  if (presented === '') return 'no token';
  const isRight = areTextsEqualInConstantTime(presented, cookie) && areTextsEqualInConstantTime(presented, expected);
  return isRight ? null : 'wrong token';
}
