import { html } from '@switchboard/platform';
import { htmlPage } from '../../infra/http/html.js';

/** Settings of {@link frontPage}. */
export interface FrontPageOptions {
  /** Level of the Zulip REST API that the server speaks. */
  readonly featureLevel: number;
  /** Shows the demo accounts and the mails of development mode. */
  readonly development: boolean;
}

/** Returns the page at `/`: the product, the documentation of its API, how to sign in, and the clients to use. */
export function frontPage({ featureLevel, development }: FrontPageOptions): string {
  return htmlPage(
    'Switchboard chat',
    html`<h1>Switchboard chat</h1>
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

const developmentHints = html`<p>
  In development mode, the accounts desdemona@example.com, iago@example.com and hamlet@example.com have the password
  switchboard-demo, unless other domains are configured. Mails are at <a href="/emails">/emails</a>.
</p>`;
