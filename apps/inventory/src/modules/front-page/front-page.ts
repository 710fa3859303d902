import { renderHtml } from '@switchboard/platform';
import { referenceApiRelease } from '../../inventory-version.js';

/**
 * Returns the HTML page at `/`. The page explains the product, its clients and the sign-in, and has links to the API
 * documentation.
 */
export function renderFrontPage(): string {
  return renderHtml`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <title>Switchboard inventory</title>
        <style>
          body {
            font:
              15px/1.5 system-ui,
              sans-serif;
            max-width: 34rem;
            margin: 4rem auto;
            padding: 0 1rem;
          }
        </style>
      </head>
      <body>
        <h1>Switchboard inventory</h1>
        <p>
          This is a source of truth for networks. It speaks the NetBox REST API (version ${referenceApiRelease}) and has no
          web application of its own: <a href="/api/">/api/</a> shows the API in a browser.
        </p>
        <h2>Clients</h2>
        <p>
          Give the address of this page to pynetbox, to the Ansible collection netbox.netbox, to the Terraform provider
          for NetBox, or to any other client of that API.
        </p>
        <h2>Sign in</h2>
        <p>
          Clients send a token: <code>Authorization: Bearer nbt_…</code>. A user gets one with
          <code>POST /api/users/tokens/provision/</code>, or from an operator with the command
          <code>create-token</code>. A browser signs in at <a href="/login/">/login/</a>.
        </p>
        <h2>API documentation</h2>
        <ul>
          <li><a href="/api/schema/swagger-ui/">Swagger UI</a>, to try requests out</li>
          <li><a href="/api/schema/redoc/">Redoc</a>, to read</li>
          <li><a href="/api/schema/?format=json">The OpenAPI document</a></li>
        </ul>
      </body>
    </html> `.text;
}
