import type { CookieSerializeOptions } from '@fastify/cookie';

/** Name of the session cookie of a browser (docs/contract/chat.md 1.2). */
export const sessionCookieName = 'sessionid';
/** Name of the cookie with the CSRF token (docs/contract/chat.md 1.2). */
export const csrfCookieName = 'csrftoken';

/**
 * Options of `@fastify/cookie` that leave cookie values undecoded. This service never percent-encodes values, and a
 * decoded value could inject control characters or attributes into a `Set-Cookie` header.
 */
export const cookieParserOptions: CookieSerializeOptions & { decode(value: string): string } = {
  decode: (value) => value,
};

/** Attributes of a cookie to set. */
export interface CookieAttributes {
  /** Lifetime of the cookie in seconds; 0 deletes the cookie. */
  readonly maxAgeSeconds: number;
  /** True if browsers send the cookie only over TLS connections. */
  readonly secure: boolean;
  /** True if browsers hide the cookie from scripts. */
  readonly httpOnly?: boolean;
}

/**
 * Returns the value of a `Set-Cookie` header. The cookie applies to all paths of the site. Browsers do not send the
 * cookie with cross-site requests.
 */
export function formatSetCookieHeader(name: string, value: string, options: CookieAttributes): string {
  const { maxAgeSeconds, secure, httpOnly = false } = options;
  const flags = `${httpOnly ? '; HttpOnly' : ''}${secure ? '; Secure' : ''}`;
  return `${name}=${value}; Path=/; SameSite=Lax; Max-Age=${maxAgeSeconds}${flags}`;
}
