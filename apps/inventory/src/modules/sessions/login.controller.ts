import { randomBytes } from 'node:crypto';
import { Public } from '@switchboard/nest';
import { ApplicationError } from '@switchboard/errors';
import { Controller, Get, Inject, Post, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DatabaseWorkOfHandler } from '@switchboard/platform';
import { inventoryAudit } from '../../audit/audit-trail.js';
import { type NewSessionCookieValues, SessionStore } from '../../auth/session-store.js';
import { parseRequestFormFields } from '../../http/request-body.js';
import { htmlPageHeaders } from '../../http/browsable-page.js';
import { csrfCookie, sessionCookie, createSetCookieHeader } from '../../http/cookies.js';
import { checkCsrfToken } from '../../http/check-csrf-token.js';
import { INVENTORY_CONTEXT, type InventoryContext } from '../../http/inventory-context.js';
import { LogIn } from './log-in.action.js';
import { type LoginFormValues, renderLoginPage } from './login-page.js';

const wrongPasswordMessage =
  'Please enter a correct username and password. Note that both fields may be case-sensitive.';

/** Endpoints of the login and logout pages for browsers (docs/contract/inventory.md 1.2). */
@Controller()
export class LoginController {
  readonly #logIn: LogIn;
  readonly #sessions: SessionStore;
  readonly #lifetimeSeconds: number;

  constructor(@Inject(INVENTORY_CONTEXT) { database, sessionSeconds, loginAttempts }: InventoryContext) {
    this.#sessions = new SessionStore(database);
    this.#lifetimeSeconds = sessionSeconds;
    this.#logIn = new LogIn({
      database,
      sessions: this.#sessions,
      lifetimeSeconds: sessionSeconds,
      loginAttempts,
    });
  }

  /** Responds with the login page, which contains the login form. */
  @Public()
  @Get('login')
  showLoginPage(@Query('next') next: unknown, @Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    this.#sendForm(request, reply, { next: toSafeRedirectPath(next), username: '', problem: null });
  }

  /** Handles the login form that a browser submits. Redirects the browser after a successful login. */
  @Public()
  @Post('login')
  @DatabaseWorkOfHandler('authentication')
  async submitLoginForm(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const form = parseRequestFormFields(request.body);
    checkCsrfToken(request, undefined, form.get('csrfmiddlewaretoken') ?? '');
    const [username, next] = [form.get('username') ?? '', toSafeRedirectPath(form.get('next'))];
    const refuse = (status: number, problem: string): void => {
      reply.code(status);
      this.#sendForm(request, reply, { next, username, problem });
    };
    const login = { username, password: form.get('password') ?? '', ip: request.ip };
    let session: NewSessionCookieValues | null;
    try {
      session = await this.#logIn.run(login, request.cookies[sessionCookie]);
    } catch (error) {
      if (!(error instanceof ApplicationError) || error.code !== 'LOGIN_THROTTLED') throw error;
      reply.headers(error.headers);
      return refuse(error.status, error.message);
    }
    if (session === null) return refuse(403, wrongPasswordMessage);
    const maxAge = this.#lifetimeSeconds;
    reply.header('set-cookie', [
      createSetCookieHeader(request, sessionCookie, session.sessionId, { maxAge, httpOnly: true }),
      createSetCookieHeader(request, csrfCookie, session.csrfToken, { maxAge }),
    ]);
    reply.redirect(next, 302);
  }

  /** Ends the browser session and redirects to the login page. */
  @Public()
  @Post('logout')
  async logOutUser(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const sessionId = request.cookies[sessionCookie] ?? '';
    const session = await this.#sessions.findSession(sessionId);
    if (session !== null) {
      checkCsrfToken(
        request,
        session.csrfToken,
        parseRequestFormFields(request.body).get('csrfmiddlewaretoken') ?? undefined,
      );
    }
    if ((await this.#sessions.endSession(sessionId)) && session !== null) {
      const { id } = session.actor;
      inventoryAudit.write('sign_out', { id, actor: { id, kind: 'user' } });
    }
    reply.header('set-cookie', [
      createSetCookieHeader(request, sessionCookie, '', { maxAge: 0, httpOnly: true }),
      createSetCookieHeader(request, csrfCookie, '', { maxAge: 0 }),
    ]);
    reply.redirect('/login/', 302);
  }

  #sendForm(request: FastifyRequest, reply: FastifyReply, form: Omit<LoginFormValues, 'csrfToken'>): void {
    const sent = request.cookies[csrfCookie] ?? '';
    const csrfToken = /^[0-9a-f]{48}$/.test(sent) ? sent : randomBytes(24).toString('hex');
    reply
      .headers({ ...htmlPageHeaders, 'cache-control': 'no-store' })
      .header('set-cookie', createSetCookieHeader(request, csrfCookie, csrfToken, { maxAge: this.#lifetimeSeconds }))
      .send(renderLoginPage({ csrfToken, ...form }));
  }
}

/**
 * Returns the URL path to which a browser is redirected after login. If the requested target is on another host,
 * returns the default path. Therefore a link to the login page cannot lead users to another site.
 */
function toSafeRedirectPath(next: unknown): string {
  return typeof next === 'string' && /^\/(?![/\\])[\x21-\x7e]*$/.test(next) ? next : '/api/';
}
