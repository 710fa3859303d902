import * as templates from '../src/index.js';

// A large time limit, because a busy machine must not fail tests.
const limits = { timeoutMs: 60_000 };

/** Renders a template like the package's function `renderTemplate`, with a time limit that no test reaches. */
export function renderTemplate(...[template, context, options]: Parameters<typeof templates.renderTemplate>): string {
  return templates.renderTemplate(template, context, { ...options, limits });
}

/** Checks a template like the package's function `checkTemplate`, with a time limit that no test reaches. */
export function checkTemplate(...[template, options]: Parameters<typeof templates.checkTemplate>): void {
  templates.checkTemplate(template, { ...options, limits });
}
