import { randomBytes } from 'node:crypto';
import type { AppError } from '@switchboard/errors';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { csrfCookie, sessionCookie, setCookie } from '../../infra/http/session-cookie-options.js';
import { htmlHeaders } from '../../infra/http/html-page.js';
import { setSessionCookies } from './session-cookies.js';
import type { SessionCookies } from './sessions.action.js';

/** The browser that requests a web page, and the cookies of its request. */
export interface BrowserVisitor {
  readonly host: string;
  readonly ip: string;
  readonly actor: ChatActor | null;
  readonly session: string | undefined;
  readonly csrfToken: string | undefined;
}

/** Response for a browser: a page or a redirect. */
export interface WebResponse {
  readonly status: number;
  readonly html?: string;
  readonly location?: string;
  /** New CSRF token for a visitor without a token. */
  readonly csrfToken?: string;
  readonly cookies?: SessionCookies;
}

/** Returns a new CSRF token. */
export function generateCsrfToken(): string {
  return randomBytes(24).toString('hex');
}

/** Returns the browser and cookies of a request. */
export function getBrowserVisitor(request: FastifyRequest, actor: ChatActor | null): BrowserVisitor {
  return {
    host: request.hostname,
    ip: request.ip,
    actor,
    session: request.cookies[sessionCookie],
    csrfToken: request.cookies[csrfCookie],
  };
}

/** Returns the HTTP status of a form page that shows an error: 400 for missing fields, 422 for invalid values. */
export function getFormStatus({ status }: AppError): number {
  return status === 400 ? 422 : status;
}

/** Sends a page or a redirect, and sets cookies. */
export async function sendWebPage(request: FastifyRequest, reply: FastifyReply, given: WebResponse): Promise<void> {
  const secure = request.protocol === 'https';
  if (given.cookies !== undefined) setSessionCookies(request, reply, given.cookies);
  if (given.csrfToken !== undefined) {
    reply.header('set-cookie', setCookie(csrfCookie, given.csrfToken, { maxAgeSeconds: 86_400, secure }));
  }
  if (given.location !== undefined) reply.header('location', given.location);
  await reply
    .code(given.status)
    .headers(htmlHeaders)
    .send(given.html ?? '');
}
