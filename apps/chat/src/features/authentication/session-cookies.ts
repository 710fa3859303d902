import type { FastifyReply, FastifyRequest } from 'fastify';
import { csrfCookieName, sessionCookieName, formatSetCookieHeader } from '../../infra/http/session-cookie-options.js';
import type { BrowserSessionCookies } from './sessions.action.js';

/** Sets the two cookies of a browser session: the session token and the CSRF token. */
export function setSessionCookies(request: FastifyRequest, reply: FastifyReply, cookies: BrowserSessionCookies): void {
  const options = { maxAgeSeconds: cookies.maxAgeSeconds, secure: request.protocol === 'https' };
  reply.header('set-cookie', [
    formatSetCookieHeader(sessionCookieName, cookies.sessionid, { ...options, httpOnly: true }),
    formatSetCookieHeader(csrfCookieName, cookies.csrftoken, options),
  ]);
}

/** Clears the cookies of a browser session. */
export function clearSessionCookies(request: FastifyRequest, reply: FastifyReply): void {
  const options = { maxAgeSeconds: 0, secure: request.protocol === 'https' };
  reply.header('set-cookie', [
    formatSetCookieHeader(sessionCookieName, '', { ...options, httpOnly: true }),
    formatSetCookieHeader(csrfCookieName, '', options),
  ]);
}
