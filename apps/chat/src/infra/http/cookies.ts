import type { CookieSerializeOptions } from '@fastify/cookie';

/** Session cookies of a browser (docs/contract/chat.md 1.2). */
export const sessionCookie = 'sessionid';
export const csrfCookie = 'csrftoken';

/**
 * Options of `@fastify/cookie` that leave values as they were sent. No value of ours is percent-encoded, and a decoded one
 * could put control characters or attributes into a `Set-Cookie` header.
 */
export const cookieParsing: CookieSerializeOptions & { decode(value: string): string } = { decode: (value) => value };

/** Options of a cookie. */
export interface CookieOptions {
  /** Lifetime in seconds; 0 deletes the cookie. */
  readonly maxAgeSeconds: number;
  /** True for TLS only, if the client used TLS. */
  readonly secure: boolean;
  /** Hidden from scripts. */
  readonly httpOnly?: boolean;
}

/** The value of a `Set-Cookie` header, for the whole site and never for requests that other sites cause. */
export function setCookie(name: string, value: string, options: CookieOptions): string {
  const { maxAgeSeconds, secure, httpOnly = false } = options;
  const flags = `${httpOnly ? '; HttpOnly' : ''}${secure ? '; Secure' : ''}`;
  return `${name}=${value}; Path=/; SameSite=Lax; Max-Age=${maxAgeSeconds}${flags}`;
}
