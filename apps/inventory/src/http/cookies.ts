import type { CookieSerializeOptions } from '@fastify/cookie';
import type { FastifyRequest } from 'fastify';

/** Names of the cookies of a browser session (docs/contract/inventory.md 1.2). */
export const [sessionCookie, csrfCookie] = ['sessionid', 'csrftoken'] as const;

/**
 * Options of `@fastify/cookie` that leave cookie values undecoded. The service never percent-encodes cookie values. A
 * decoded value could add control characters or attributes to a `Set-Cookie` header.
 */
export const cookiePluginOptions: CookieSerializeOptions & { decode(value: string): string } = {
  decode: (value) => value,
};

/**
 * Returns the value of the `Set-Cookie` header for a cookie of this host. `maxAge` is the lifetime in seconds; 0
 * deletes the cookie.
 */
export function createSetCookieHeader(
  request: FastifyRequest,
  name: string,
  value: string,
  { maxAge, httpOnly = false }: { readonly maxAge: number; readonly httpOnly?: boolean },
): string {
  const secure = request.protocol === 'https' ? '; Secure' : '';
  return `${name}=${value}; Path=/; Max-Age=${maxAge}; SameSite=Lax${httpOnly ? '; HttpOnly' : ''}${secure}`;
}
