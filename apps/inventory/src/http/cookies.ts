import type { CookieSerializeOptions } from '@fastify/cookie';
import type { FastifyRequest } from 'fastify';

/** The cookies of a browser that logged in (docs/contract/inventory.md 1.2). */
export const [sessionCookie, csrfCookie] = ['sessionid', 'csrftoken'] as const;

/**
 * Options of `@fastify/cookie` that leave values as they were sent. No value of ours is percent-encoded, and a decoded one
 * could put control characters or attributes into a `Set-Cookie` header.
 */
export const cookieParsing: CookieSerializeOptions & { decode(value: string): string } = { decode: (value) => value };

/** The `Set-Cookie` of a cookie for this host; `maxAge` in seconds, 0 takes it away. */
export function setCookie(
  request: FastifyRequest,
  name: string,
  value: string,
  { maxAge, httpOnly = false }: { readonly maxAge: number; readonly httpOnly?: boolean },
): string {
  const secure = request.protocol === 'https' ? '; Secure' : '';
  return `${name}=${value}; Path=/; Max-Age=${maxAge}; SameSite=Lax${httpOnly ? '; HttpOnly' : ''}${secure}`;
}
