import { Inject, Injectable } from '@nestjs/common';
import type { Database } from '@switchboard/database';
import { ApplicationError } from '@switchboard/errors';
import { DATABASE_TOKEN } from '../../tokens.js';
import { getRealmOfHost } from '../../core/realms/index.js';
import { toSafeRedirectPath, renderLoginPageHtml } from './login-page.js';
import { BrowserSessionService } from './sessions.action.js';
import { SignInService } from './sign-in.action.js';
import { generateCsrfToken, type BrowserVisitor, type WebPageOrRedirectResponse } from './send-web-page.js';

/** Shows the login page, and creates a session for a browser that signs in (docs/contract/chat.md 1.2). */
@Injectable()
export class BrowserSignIn {
  constructor(
    @Inject(DATABASE_TOKEN) private readonly database: Database,
    private readonly signIn: SignInService,
    private readonly sessions: BrowserSessionService,
  ) {}

  /**
   * Returns the login page for the browser that requests it.
   *
   * @throws ApplicationError NONEXISTENT_SUBDOMAIN
   */
  getLoginPage(visitor: BrowserVisitor, next: string | undefined): Promise<WebPageOrRedirectResponse> {
    return this.#show(visitor, 200, toSafeRedirectPath(next));
  }

  /**
   * Signs a browser in with the data of the submitted login form. If the sign-in fails, returns the login page with an
   * error message and the HTTP status that the API would return.
   *
   * @throws ApplicationError NONEXISTENT_SUBDOMAIN
   */
  async submitLoginForm(
    visitor: BrowserVisitor,
    sent: { readonly username: string; readonly password: string; readonly next?: string | undefined },
  ): Promise<WebPageOrRedirectResponse> {
    const next = toSafeRedirectPath(sent.next);
    try {
      const credentials = { email: sent.username, password: sent.password };
      const cookies = await this.signIn.withSession(visitor.host, credentials, (account) =>
        this.sessions.createSession(account, visitor.session),
      );
      return { status: 303, location: next, cookies };
    } catch (error) {
      if (!(error instanceof ApplicationError)) throw error;
      return this.#show(visitor, error.status, next, error.message);
    }
  }

  async #show(
    visitor: BrowserVisitor,
    status: number,
    next: string,
    fault?: string,
  ): Promise<WebPageOrRedirectResponse> {
    const realm = await getRealmOfHost(this.database, visitor.host);
    const made = visitor.csrfToken === undefined ? { csrfToken: generateCsrfToken() } : {};
    const html = renderLoginPageHtml({
      realmName: realm.name,
      csrfToken: visitor.csrfToken ?? made.csrfToken ?? '',
      signedInAs: visitor.actor?.deliveryEmail ?? null,
      next,
      ...(fault !== undefined && { fault }),
    });
    return { status, html, ...made };
  }
}
