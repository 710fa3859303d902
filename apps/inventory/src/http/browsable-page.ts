import { SafeHtml, renderHtml } from '@switchboard/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { getRequestPathAndQuery, getRequestUrlBase } from './request-urls.js';
import { csrfCookie, sessionCookie } from './cookies.js';

/** Response headers of HTML pages that contain neither scripts nor external resources. */
export const htmlPageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  'x-content-type-options': 'nosniff',
} as const;

/**
 * Response headers of the API's HTML pages. The headers allow a page to load scripts only from this service, and to
 * send requests only to this service.
 */
export const browsablePageHeaders = {
  ...htmlPageHeaders,
  'content-security-policy': `${htmlPageHeaders['content-security-policy']}; script-src 'self'; connect-src 'self'`,
} as const;

/**
 * Returns an HTML page that shows an API request and its response (docs/contract/inventory.md 1.1). URLs in the JSON of
 * the response are links.
 */
export function renderBrowsableApiPage(request: FastifyRequest, reply: FastifyReply, value: unknown): string {
  const { path, query } = getRequestPathAndQuery(request);
  query.set('format', 'json');
  const base = getRequestUrlBase(request);
  const page = renderHtml`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <title>${path}</title>
        <style>
          body {
            font:
              15px/1.5 system-ui,
              sans-serif;
            max-width: 70rem;
            margin: 2rem auto;
            padding: 0 1rem;
          }
          pre {
            background: #f4f5f7;
            padding: 1rem;
            overflow-x: auto;
          }
          textarea {
            display: block;
            width: 100%;
            font: 13px/1.5 monospace;
          }
        </style>
      </head>
      <body>
        ${renderAccountLinks(request)}
        <nav>${renderPathLinks(path)}</nav>
        <h1>${request.method} ${path}</h1>
        <p>
          ${reply.statusCode} · ${String(reply.getHeader('allow') ?? '')} ·
          <a href="${path}?${query.toString()}">JSON</a> ·
          <a href="/api/schema/swagger-ui/">Documentation</a>
        </p>
        ${renderNeighborPageLinks(value, base)}
        <pre>${renderJsonWithLinks(JSON.stringify(value, null, 2), base)}</pre>
        ${renderRequestForm(String(reply.getHeader('allow') ?? ''))}
      </body>
    </html> `;
  return page.text;
}

/**
 * Returns HTML for the user's account: a login link for a browser without a session, or a logout button for a browser
 * with a session.
 */
function renderAccountLinks(request: FastifyRequest): SafeHtml {
  if ((request.cookies[sessionCookie] ?? '') === '') {
    return renderHtml`<p><a href="/login/?next=${encodeURIComponent(request.url)}">Log in</a></p>`;
  }
  return renderHtml`<form method="post" action="/logout/">
    <input type="hidden" name="csrfmiddlewaretoken" value="${request.cookies[csrfCookie]}" />
    <button>Log out</button>
  </form>`;
}

/**
 * Returns the HTML of links to the previous and the next page of a list. A value that is not a URL of this service gets
 * no link.
 */
function renderNeighborPageLinks(value: unknown, base: string): SafeHtml {
  if (typeof value !== 'object' || value === null) return renderHtml``;
  const links = (['previous', 'next'] as const).flatMap((name) => {
    const address: unknown = Reflect.get(value, name);
    const isOwn = typeof address === 'string' && address.startsWith(`${base}/`);
    return isOwn ? renderHtml`<a rel="${name}" href="${address}">${name}</a>`.text : [];
  });
  return links.length === 0 ? renderHtml`` : renderHtml`<p>${new SafeHtml(links.join(' · '))}</p>`;
}

/**
 * Returns an HTML form that sends JSON to the API. The form offers the allowed HTTP methods other than GET, HEAD and
 * OPTIONS. See `browsable-page-script.ts`.
 */
function renderRequestForm(allow: string): SafeHtml {
  const methods = ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].filter((method) => allow.split(', ').includes(method));
  const buttons = methods.map((method) => renderHtml`<button name="method" value="${method}">${method}</button> `.text);
  return renderHtml`<form id="request">
      <label for="body">JSON</label>
      <textarea id="body" name="body" rows="8" spellcheck="false">{}</textarea>
      <p>${new SafeHtml(buttons.join(''))}</p>
    </form>
    <pre id="response" aria-live="polite"></pre>
    <script type="module" src="/api/schema/assets/browse.js"></script>`;
}

/** Returns the HTML of a link for each segment of the request's URL path. */
function renderPathLinks(path: string): SafeHtml {
  const parts = path.split('/').filter((part) => part !== '');
  const links = parts.map(
    (part, index) => renderHtml`<a href="/${parts.slice(0, index + 1).join('/')}/">${part}</a>`.text,
  );
  return new SafeHtml(links.join(' / '));
}

/** Returns JSON text as HTML, in which each URL of this service is a link. */
function renderJsonWithLinks(json: string, base: string): SafeHtml {
  // A JSON string contains only escaped quotes, so that the next quote ends it.
  const pieces = json.split(/("(?:[^"\\]|\\.)*")/);
  const shown = pieces.map((piece, index) => {
    const address = index % 2 === 1 ? piece.slice(1, -1) : '';
    return (address.startsWith(`${base}/`) ? renderHtml`"<a href="${address}">${address}</a>"` : renderHtml`${piece}`)
      .text;
  });
  return new SafeHtml(shown.join(''));
}
