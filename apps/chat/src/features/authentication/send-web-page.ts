import { randomBytes } from 'node:crypto';
import type { ApplicationError } from '@switchboard/errors';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { csrfCookieName, sessionCookieName, formatSetCookieHeader } from '../../infra/http/session-cookie-options.js';
import { htmlPageResponseHeaders } from '../../infra/http/html-page.js';
import { setSessionCookies } from './session-cookies.js';
import type { BrowserSessionCookies } from './sessions.action.js';

/** The browser that requests a web page, and the cookies of the browser's request. */
export interface BrowserVisitor {
  readonly host: string;
  readonly ip: string;
  readonly actor: ChatActor | null;
  readonly session: string | undefined;
  readonly csrfToken: string | undefined;
}

/** Response to a browser: a web page or a redirect, with its status and cookies. */
export interface WebPageOrRedirectResponse {
  readonly status: number;
  readonly html?: string;
  readonly location?: string;
  /** New CSRF token for a visitor whose request contained no token. */
  readonly csrfToken?: string;
  readonly cookies?: BrowserSessionCookies;
}

/** Returns a new random token that protects forms against cross-site request forgery (CSRF). */
export function generateCsrfToken(): string {
  return randomBytes(24).toString('hex');
}

/** Returns the browser that sent a request, with the cookies of the request. */
export function getBrowserVisitor(request: FastifyRequest, actor: ChatActor | null): BrowserVisitor {
  return {
    host: request.hostname,
    ip: request.ip,
    actor,
    session: request.cookies[sessionCookieName],
    csrfToken: request.cookies[csrfCookieName],
  };
}

/**
 * Returns the HTTP status of a form page that shows an error: 422 for an error with status 400, otherwise the status of
 * the error.
 */
export function getFormPageHttpStatus({ status }: ApplicationError): number {
  return status === 400 ? 422 : status;
}

/** Sends a web page or a redirect to a browser, and sets the cookies of the response. */
export async function sendWebPage(
  request: FastifyRequest,
  reply: FastifyReply,
  given: WebPageOrRedirectResponse,
): Promise<void> {
  const secure = request.protocol === 'https';
  if (given.cookies !== undefined) setSessionCookies(request, reply, given.cookies);
  if (given.csrfToken !== undefined) {
    reply.header(
      'set-cookie',
      formatSetCookieHeader(csrfCookieName, given.csrfToken, { maxAgeSeconds: 86_400, secure }),
    );
  }
  if (given.location !== undefined) reply.header('location', given.location);
  await reply
    .code(given.status)
    .headers(htmlPageResponseHeaders)
    .send(given.html ?? '');
}
