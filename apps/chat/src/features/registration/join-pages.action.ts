import { Inject, Injectable } from '@nestjs/common';
import type { Database } from '@switchboard/database';
import { ApplicationError } from '@switchboard/errors';
import { getLoginAttemptCounterKey, RateLimiter } from '../../infra/rate-limits/index.js';
import { createRateLimitError } from '../../core/access/admission.guard.js';
import { DATABASE_TOKEN } from '../../tokens.js';
import {
  auditSignIn,
  getFormPageHttpStatus,
  generateCsrfToken,
  BrowserSessionService,
  type BrowserVisitor,
  type WebPageOrRedirectResponse,
} from '../authentication/index.js';
import { getRealmOfHost, type RealmIdentity } from '../../core/realms/index.js';
import { renderInvitationPage, renderMessagePage } from './render-join-page.js';
import { CreateInvitedAccount } from './join.action.js';

/** Form fields that a visitor submits on the invitation page: an email address, or a name and a password. */
export interface InvitationPageFormFields {
  readonly email?: string | undefined;
  readonly full_name?: string | undefined;
  readonly password?: string | undefined;
  readonly default_stream_group?: string | undefined;
}

/** Renders the sign-up pages for invited users and processes the submitted forms. */
@Injectable()
export class JoinPages {
  constructor(
    @Inject(DATABASE_TOKEN) private readonly database: Database,
    private readonly join: CreateInvitedAccount,
    private readonly sessions: BrowserSessionService,
    private readonly limiter: RateLimiter,
  ) {}

  /**
   * Returns the web page that an invitation link opens.
   *
   * @throws ApplicationError NONEXISTENT_SUBDOMAIN
   */
  async renderInvitationPage(visitor: BrowserVisitor, token: string): Promise<WebPageOrRedirectResponse> {
    const realm = await getRealmOfHost(this.database, visitor.host);
    return this.#show(visitor, realm, token, 200);
  }

  /**
   * Processes the submitted form of the invitation page. User errors are shown on the page.
   *
   * @throws ApplicationError NONEXISTENT_SUBDOMAIN, RATE_LIMIT_HIT
   */
  async submitInvitationForm(
    visitor: BrowserVisitor,
    token: string,
    origin: string,
    form: InvitationPageFormFields,
  ): Promise<WebPageOrRedirectResponse> {
    const realm = await getRealmOfHost(this.database, visitor.host);
    try {
      const { email } = await this.join.findInvitation(realm, token);
      return email === null
        ? await this.#sendLink(visitor, realm, token, origin, form)
        : await this.#accept(visitor, realm, token, form);
    } catch (error) {
      if (!(error instanceof ApplicationError) || error.code === 'RATE_LIMIT_HIT') throw error;
      return this.#show(visitor, realm, token, getFormPageHttpStatus(error), error.message);
    }
  }

  async #sendLink(
    visitor: BrowserVisitor,
    realm: RealmIdentity,
    token: string,
    origin: string,
    form: InvitationPageFormFields,
  ): Promise<WebPageOrRedirectResponse> {
    const taken = await this.limiter.countRequestAgainstLimit('EMAIL_BY_IP', getLoginAttemptCounterKey(visitor.ip));
    if (taken !== null && taken.waitMs > 0) throw createRateLimitError(taken);
    await this.join.emailVisitorLink(realm, token, origin, form.email ?? '');
    return { status: 200, html: renderMessagePage(`Join ${realm.name}`, 'A link is on its way to you by mail.') };
  }

  async #accept(
    visitor: BrowserVisitor,
    realm: RealmIdentity,
    token: string,
    form: InvitationPageFormFields,
  ): Promise<WebPageOrRedirectResponse> {
    const channelGroup = form.default_stream_group ?? '';
    const account = { fullName: form.full_name ?? '', password: form.password ?? '', channelGroup };
    const joined = await this.join.createAccount(realm, token, account);
    const cookies = await auditSignIn('invitation', (attempt) => {
      attempt.owner = { id: joined.userId, kind: 'user', realm: String(realm.id) };
      return this.sessions.createSession(joined, visitor.session);
    });
    return { status: 303, location: '/accounts/login/', cookies };
  }

  async #show(
    visitor: BrowserVisitor,
    realm: RealmIdentity,
    token: string,
    status: number,
    fault?: string,
  ): Promise<WebPageOrRedirectResponse> {
    const made = visitor.csrfToken === undefined ? { csrfToken: generateCsrfToken() } : {};
    const csrfToken = visitor.csrfToken ?? made.csrfToken ?? '';
    try {
      const invitation = await this.join.findInvitation(realm, token);
      const { email, inviter } = invitation;
      const channelGroups = await this.join.listChannelGroups(realm, invitation);
      return {
        status,
        html: renderInvitationPage({ realmName: realm.name, email, inviter, channelGroups, csrfToken, fault }),
        ...made,
      };
    } catch (error) {
      if (!(error instanceof ApplicationError)) throw error;
      return { status: error.status, html: renderMessagePage(realm.name, error.message) };
    }
  }
}
