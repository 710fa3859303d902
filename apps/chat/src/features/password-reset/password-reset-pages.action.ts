import { Inject, Injectable } from '@nestjs/common';
import type { Database } from '@switchboard/database';
import { ApplicationError } from '@switchboard/errors';
import { getRealmOfHost, type RealmIdentity } from '../../core/realms/index.js';
import { DATABASE_TOKEN } from '../../tokens.js';
import {
  getFormPageHttpStatus,
  generateCsrfToken,
  type BrowserVisitor,
  type WebPageOrRedirectResponse,
} from '../authentication/index.js';
import {
  renderNewPasswordPage,
  renderRequestResetPage,
  type PasswordResetFormValues,
  renderResetTextPage,
} from './render-password-reset-pages.js';
import { RequestPasswordReset } from './request-password-reset.action.js';
import { ResetPassword } from './reset-password.action.js';

/** Renders the password reset pages and processes the submitted forms. */
@Injectable()
export class PasswordResetPages {
  constructor(
    @Inject(DATABASE_TOKEN) private readonly database: Database,
    private readonly requests: RequestPasswordReset,
    private readonly resets: ResetPassword,
  ) {}

  /**
   * Returns the form that requests a password reset link.
   *
   * @throws ApplicationError NONEXISTENT_SUBDOMAIN
   */
  async renderRequestPage(visitor: BrowserVisitor): Promise<WebPageOrRedirectResponse> {
    const realm = await getRealmOfHost(this.database, visitor.host);
    return sendPasswordResetForm(visitor, realm, 200, renderRequestResetPage);
  }

  /**
   * Processes the submitted form that requests a password reset link. The response is identical for all email
   * addresses.
   *
   * @throws ApplicationError NONEXISTENT_SUBDOMAIN, RATE_LIMIT_HIT
   */
  async requestPasswordReset(
    visitor: BrowserVisitor,
    origin: string,
    email: string,
  ): Promise<WebPageOrRedirectResponse> {
    const realm = await getRealmOfHost(this.database, visitor.host);
    try {
      await this.requests.run(realm.id, email, { ip: visitor.ip, origin });
    } catch (error) {
      if (!(error instanceof ApplicationError) || error.code === 'RATE_LIMIT_HIT') throw error;
      const page = (form: PasswordResetFormValues) => renderRequestResetPage({ ...form, fault: error.message });
      return sendPasswordResetForm(visitor, realm, getFormPageHttpStatus(error), page);
    }
    const text = 'If an account has this address, a link is on its way to it by mail.';
    return { status: 200, html: renderResetTextPage(realm.name, text) };
  }

  /** Returns the form that sets a new password. @throws ApplicationError NONEXISTENT_SUBDOMAIN */
  async renderSetPasswordPage(visitor: BrowserVisitor, token: string): Promise<WebPageOrRedirectResponse> {
    const realm = await getRealmOfHost(this.database, visitor.host);
    return this.#showPasswordForm(visitor, realm, token, 200);
  }

  /** Processes the submitted form that sets a new password. @throws ApplicationError NONEXISTENT_SUBDOMAIN */
  async setPassword(visitor: BrowserVisitor, token: string, password: string): Promise<WebPageOrRedirectResponse> {
    const realm = await getRealmOfHost(this.database, visitor.host);
    try {
      await this.resets.run(realm.id, token, password);
    } catch (error) {
      if (!(error instanceof ApplicationError)) throw error;
      return this.#showPasswordForm(visitor, realm, token, getFormPageHttpStatus(error), error.message);
    }
    return { status: 200, html: renderResetTextPage(realm.name, 'Your new password is set. All sessions have ended.') };
  }

  async #showPasswordForm(
    visitor: BrowserVisitor,
    realm: RealmIdentity,
    token: string,
    status: number,
    fault?: string,
  ): Promise<WebPageOrRedirectResponse> {
    try {
      const email = await this.resets.findEmailOfResetLink(realm.id, token);
      return sendPasswordResetForm(visitor, realm, status, (form) => renderNewPasswordPage({ ...form, email, fault }));
    } catch (error) {
      if (!(error instanceof ApplicationError)) throw error;
      return { status: error.status, html: renderResetTextPage(realm.name, error.message) };
    }
  }
}

/** Returns a password reset page with a form. Sets a new CSRF token if the browser has no token. */
function sendPasswordResetForm(
  visitor: BrowserVisitor,
  { name: realmName }: RealmIdentity,
  status: number,
  page: (form: PasswordResetFormValues) => string,
): WebPageOrRedirectResponse {
  const csrfToken = visitor.csrfToken ?? generateCsrfToken();
  const made = visitor.csrfToken === undefined ? { csrfToken } : {};
  return { status, html: page({ realmName, csrfToken }), ...made };
}
