import type { FastifyReply, FastifyRequest } from 'fastify';
import { csrfCookie, sessionCookie, setCookie } from '../../infra/http/session-cookie-options.js';
import type { SessionCookies } from './sessions.action.js';

/** Sets the two cookies of a browser session: the session token and the CSRF token. */
export function setSessionCookies(request: FastifyRequest, reply: FastifyReply, cookies: SessionCookies): void {
  const options = { maxAgeSeconds: cookies.maxAgeSeconds, secure: request.protocol === 'https' };
  reply.header('set-cookie', [
    setCookie(sessionCookie, cookies.sessionid, { ...options, httpOnly: true }),
    setCookie(csrfCookie, cookies.csrftoken, options),
  ]);
}

/** Clears the cookies of a browser session. */
export function clearSessionCookies(request: FastifyRequest, reply: FastifyReply): void {
  const options = { maxAgeSeconds: 0, secure: request.protocol === 'https' };
  reply.header('set-cookie', [
    setCookie(sessionCookie, '', { ...options, httpOnly: true }),
    setCookie(csrfCookie, '', options),
  ]);
}
