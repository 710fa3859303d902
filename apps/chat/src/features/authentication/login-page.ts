import { renderHtml } from '@switchboard/platform';
import { renderHtmlPage } from '../../infra/http/html-page.js';

/** Data that the login page displays or contains. */
export interface LoginPageContent {
  readonly realmName: string;
  readonly csrfToken: string;
  /** Email address of the user who is signed in; null if no user is signed in. */
  readonly signedInAs: string | null;
  /** URL path to which the browser is redirected after the login. */
  readonly next: string;
  /** Error message of the last attempt to sign in; absent if no attempt failed. */
  readonly fault?: string;
}

/**
 * Returns the HTML of the login page. The page contains a login form, or a logout button for a user who is signed in.
 */
export function renderLoginPageHtml(page: LoginPageContent): string {
  const title = `Sign in to ${page.realmName}`;
  const token = renderHtml`<input type="hidden" name="csrfmiddlewaretoken" value="${page.csrfToken}" />`;
  if (page.signedInAs !== null) {
    return renderHtmlPage(
      page.realmName,
      renderHtml`<h1>${page.realmName}</h1>
        <p>You are signed in as ${page.signedInAs}.</p>
        <form method="post" action="/logout/">${token}<button>Sign out</button></form>`,
    );
  }
  return renderHtmlPage(
    title,
    renderHtml`<h1>${title}</h1>
      ${page.fault === undefined ? null : renderHtml`<p role="alert">${page.fault}</p>`}
      <form method="post" action="/accounts/login/">
        ${token}<input type="hidden" name="next" value="${page.next}" />
        <label>Email <input name="username" type="email" autocomplete="username" required /></label>
        <label>Password <input name="password" type="password" autocomplete="current-password" required /></label>
        <button>Sign in</button>
      </form>
      <p><a href="/accounts/password/reset/">Forgot your password?</a></p>`,
  );
}

/**
 * Returns the given URL path if the path leads to this host. Otherwise returns the path of the login page, so that no
 * link redirects to another site.
 */
export function toSafeRedirectPath(path: string | undefined): string {
  return path !== undefined && /^\/(?![/\\])[^\p{Cc}]*$/u.test(path) ? path : '/accounts/login/';
}
