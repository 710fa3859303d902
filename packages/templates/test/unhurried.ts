import * as templates from '../src/index.js';

// A large time limit, because a busy machine must not fail tests.
const limits = { timeoutMs: 60_000 };

/** Renders like the package's own function with a large time limit, for tests of output and not of duration. */
export function renderTemplate(...[template, context, options]: Parameters<typeof templates.renderTemplate>): string {
  return templates.renderTemplate(template, context, { ...options, limits });
}

/** Checks a template with a large time limit. */
export function checkTemplate(...[template, options]: Parameters<typeof templates.checkTemplate>): void {
  templates.checkTemplate(template, { ...options, limits });
}
