import { renderHtml } from '@switchboard/platform';
import { renderHtmlPage } from '../../infra/http/html-page.js';

export interface FrontPageOptions {
  /** Feature level of the Zulip REST API that the server supports. */
  readonly featureLevel: number;
  /** True if the front page contains links to the demo accounts and emails of development mode. */
  readonly development: boolean;
}

/** Returns the HTML of the page at `/`, with links to the API documentation, the login page and clients. */
export function renderFrontPage({ featureLevel, development }: FrontPageOptions): string {
  return renderHtmlPage(
    'Switchboard chat',
    renderHtml`<h1>Switchboard chat</h1>
      <p>
        This is a team-chat server. It speaks the Zulip REST API (feature level ${featureLevel}) and has no web
        application of its own: people use it with a Zulip client.
      </p>
      <h2>Clients</h2>
      <p>
        Give the address of this page, without a path, as the server address to the Zulip apps for Android and iOS, to
        zulip-terminal, or to a program that uses zulip-js or the Python package zulip.
      </p>
      <h2>Sign in</h2>
      <p>
        Clients sign in with an email address and a password, and get an API key for it. An administrator of the
        organization sends invitations. A browser signs in at <a href="/accounts/login/">/accounts/login/</a>, for
        requests under <code>/json</code>.
      </p>
      ${development ? developmentHints : null}
      <h2>API documentation</h2>
      <ul>
        <li><a href="/docs/swagger-ui">Swagger UI</a>, to try requests out</li>
        <li><a href="/docs/redoc">Redoc</a>, to read</li>
        <li><a href="/api/v1/openapi.json">The OpenAPI document</a></li>
      </ul>`,
  );
}

const developmentHints = renderHtml`<p>
  In development mode, the accounts desdemona@example.com, iago@example.com and hamlet@example.com have the password
  switchboard-demo, unless other domains are configured. Mails are at <a href="/emails">/emails</a>.
</p>`;
