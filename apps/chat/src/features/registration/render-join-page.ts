import { SafeHtml, renderHtml } from '@switchboard/platform';
import { renderHtmlPage } from '../../infra/http/html-page.js';

/** Values that the invitation page shows. */
export interface InvitationPageValues {
  readonly realmName: string;
  readonly inviter: string;
  /** Invited email address; null for a reusable link. Visitors of a reusable link enter an email address first. */
  readonly email: string | null;
  /** Names of the default channel groups from which the invited user may choose. */
  readonly channelGroups: readonly string[];
  readonly csrfToken: string;
  readonly fault?: string | undefined;
}

/** Returns the HTML of the invitation page: the sign-up form. */
export function renderInvitationPage(page: InvitationPageValues): string {
  const title = `Join ${page.realmName}`;
  const fields =
    page.email === null
      ? renderHtml`<label>Email <input name="email" type="email" autocomplete="email" required /></label>
          <button>Send me a link</button>`
      : renderHtml`<p>${page.email}</p>
          <label>Your name <input name="full_name" autocomplete="name" maxlength="100" required /></label>
          <label>Password <input name="password" type="password" autocomplete="new-password" required /></label>
          ${renderGroupChoice(page.channelGroups)}
          <button>Join</button>`;
  return renderPageWithTitle(
    title,
    renderHtml`<p>${page.inviter} invites you.</p>
      ${page.fault === undefined ? null : renderHtml`<p role="alert">${page.fault}</p>`}
      <form method="post"><input type="hidden" name="csrfmiddlewaretoken" value="${page.csrfToken}" />${fields}</form>`,
  );
}

function renderGroupChoice(names: readonly string[]): SafeHtml | null {
  if (names.length === 0) return null;
  const options = new SafeHtml(names.map((name) => renderHtml`<option>${name}</option>`.text).join(''));
  return renderHtml`<label
    >Channels
    <select name="default_stream_group">
      <option value="">The default channels</option>
      ${options}
    </select></label
  >`;
}

/** Returns the HTML of a sign-up page that shows only a title and a text. */
export function renderMessagePage(title: string, text: string): string {
  return renderPageWithTitle(title, renderHtml`<p>${text}</p>`);
}

function renderPageWithTitle(title: string, body: SafeHtml): string {
  return renderHtmlPage(
    title,
    renderHtml`<h1>${title}</h1>
      ${body}`,
  );
}
