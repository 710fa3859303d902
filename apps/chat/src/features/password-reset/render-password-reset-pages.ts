import { type SafeHtml, renderHtml } from '@switchboard/platform';
import { renderHtmlPage } from '../../infra/http/html-page.js';

/** Values with which a password reset form is rendered. */
export interface PasswordResetFormValues {
  readonly realmName: string;
  readonly csrfToken: string;
  /** Error message about the last submission of the form; undefined without an error. */
  readonly fault?: string | undefined;
}

/** Returns the HTML of the form that requests a password reset link. */
export function renderRequestResetPage(form: PasswordResetFormValues): string {
  return renderResetFormPage(
    `Reset your password in ${form.realmName}`,
    form,
    renderHtml`<label>Email <input name="email" type="email" autocomplete="username" required /></label>
      <button>Send me a link</button>`,
  );
}

/** Returns the HTML of the form that sets a new password. */
export function renderNewPasswordPage(form: PasswordResetFormValues & { readonly email: string }): string {
  return renderResetFormPage(
    `New password for ${form.realmName}`,
    form,
    renderHtml`<p>${form.email}</p>
      <label>New password <input name="password" type="password" autocomplete="new-password" required /></label>
      <button>Set the password</button>`,
  );
}

/** Returns the HTML of a page with the given text and a link to the login page. */
export function renderResetTextPage(title: string, text: string): string {
  return renderHtmlPage(
    title,
    renderHtml`<h1>${title}</h1>
      <p>${text}</p>
      <p><a href="/accounts/login/">Sign in</a></p>`,
  );
}

function renderResetFormPage(title: string, { csrfToken, fault }: PasswordResetFormValues, fields: SafeHtml): string {
  return renderHtmlPage(
    title,
    renderHtml`<h1>${title}</h1>
      ${fault === undefined ? null : renderHtml`<p role="alert">${fault}</p>`}
      <form method="post"><input type="hidden" name="csrfmiddlewaretoken" value="${csrfToken}" />${fields}</form>`,
  );
}
