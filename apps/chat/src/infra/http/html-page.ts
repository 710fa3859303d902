import { type SafeHtml, renderHtml } from '@switchboard/platform';

/** Returns a complete HTML page without scripts or external resources. */
export function renderHtmlPage(title: string, body: SafeHtml): string {
  const page = renderHtml`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <meta name="referrer" content="same-origin" />
        <title>${title}</title>
        <style>
          body {
            font:
              16px/1.5 system-ui,
              sans-serif;
            max-width: 26rem;
            margin: 4rem auto;
            padding: 0 1rem;
          }
          label,
          input,
          button {
            display: block;
            width: 100%;
            box-sizing: border-box;
            font: inherit;
          }
          input {
            margin-bottom: 1rem;
            padding: 0.4rem;
          }
          button {
            padding: 0.5rem;
          }
        </style>
      </head>
      <body>
        ${body}
      </body>
    </html> `;
  return page.text;
}

/**
 * HTTP headers for pages of {@link renderHtmlPage}. The headers forbid the page to run scripts, to load resources, and
 * to be framed by other pages.
 */
export const htmlPageResponseHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  'x-content-type-options': 'nosniff',
} as const;
