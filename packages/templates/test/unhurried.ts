import * as templates from '../src/index.js';

// A machine that does much else at the time is no fault of a template.
const limits = { timeoutMs: 60_000 };

/** As the package's own, with time for everything: for tests about what is rendered, not about how long it takes. */
export function renderTemplate(...[template, context, options]: Parameters<typeof templates.renderTemplate>): string {
  return templates.renderTemplate(template, context, { ...options, limits });
}

/** As {@link renderTemplate}. */
export function checkTemplate(...[template, options]: Parameters<typeof templates.checkTemplate>): void {
  templates.checkTemplate(template, { ...options, limits });
}
