import { renderHtml } from '@switchboard/platform';

/** Values that the login page shows in its form. */
export interface LoginFormValues {
  readonly csrfToken: string;
  readonly next: string;
  readonly username: string;
  /** Error message of the previous login attempt. Null if there was no failed attempt. */
  readonly problem: string | null;
}

/** Returns the HTML of the login page, which contains no script. */
export function renderLoginPage({ csrfToken, next, username, problem }: LoginFormValues): string {
  const message = problem === null ? '' : renderHtml`<p role="alert">${problem}</p>`;
  return renderHtml`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <title>Log in</title>
        <style>
          body {
            font:
              15px/1.5 system-ui,
              sans-serif;
            max-width: 22rem;
            margin: 4rem auto;
            padding: 0 1rem;
          }
          label,
          input,
          button {
            display: block;
            width: 100%;
            margin: 0.5rem 0;
            font: inherit;
            box-sizing: border-box;
          }
        </style>
      </head>
      <body>
        <h1>Log in</h1>
        ${message}
        <form method="post" action="/login/">
          <input type="hidden" name="csrfmiddlewaretoken" value="${csrfToken}" />
          <input type="hidden" name="next" value="${next}" />
          <label>Username <input name="username" value="${username}" autocomplete="username" required /></label>
          <label>Password <input name="password" type="password" autocomplete="current-password" required /></label>
          <button type="submit">Log in</button>
        </form>
      </body>
    </html> `.text;
}
