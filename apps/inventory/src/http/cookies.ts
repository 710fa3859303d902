import type { CookieSerializeOptions } from '@fastify/cookie';
import type { FastifyRequest } from 'fastify';

/** Names of the cookies of a browser session (docs/contract/inventory.md 1.2). */
export const [sessionCookie, csrfCookie] = ['sessionid', 'csrftoken'] as const;

/**
 * Options of `@fastify/cookie` that leave cookie values undecoded. This service never percent-encodes values. A decoded
 * value could put control characters or attributes into a `Set-Cookie` header.
 */
export const cookiePluginOptions: CookieSerializeOptions & { decode(value: string): string } = {
  decode: (value) => value,
};

/** Returns the `Set-Cookie` header of a cookie for this host. `maxAge` is in seconds; 0 deletes the cookie. */
export function setCookie(
  request: FastifyRequest,
  name: string,
  value: string,
  { maxAge, httpOnly = false }: { readonly maxAge: number; readonly httpOnly?: boolean },
): string {
  const secure = request.protocol === 'https' ? '; Secure' : '';
  return `${name}=${value}; Path=/; Max-Age=${maxAge}; SameSite=Lax${httpOnly ? '; HttpOnly' : ''}${secure}`;
}
