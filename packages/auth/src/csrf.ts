import { timingSafeEqualText } from './constant-time.js';

/** Parts of a request that a check against cross-site request forgery reads. */
export interface CsrfCheck {
  readonly method: string;
  /** Value of the CSRF cookie. */
  readonly cookie: string | undefined;
  /** Reads the token that the request repeats, in a header or a form field; called only when the token decides. */
  readonly presented: () => string | undefined;
  /** Token of the session; without a session the cookie's has to be repeated. */
  readonly expected?: string | undefined;
  /** The header `Origin`; browsers send it with requests that change something. */
  readonly origin?: string | undefined;
  /** Scheme and host of this service, the one origin that is allowed; without it none is checked. */
  readonly ownOrigin?: string;
}

/** Reason for which a request is refused. */
export type CsrfProblem = 'foreign origin' | 'no cookie' | 'no token' | 'wrong token';

const safeMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Checks a request as Django does: one that changes something repeats its CSRF token. Another site can make a browser
 * send the cookie, but cannot read it. Returns the first reason to refuse the request, or null.
 */
export function findCsrfProblem(check: CsrfCheck): CsrfProblem | null {
  const { method, cookie = '', expected = cookie, origin, ownOrigin } = check;
  if (safeMethods.has(method)) return null;
  if (ownOrigin !== undefined && origin !== undefined && origin !== ownOrigin) return 'foreign origin';
  if (cookie === '') return 'no cookie';
  const presented = check.presented() ?? '';
  if (presented === '') return 'no token';
  const isRight = timingSafeEqualText(presented, cookie) && timingSafeEqualText(presented, expected);
  return isRight ? null : 'wrong token';
}
