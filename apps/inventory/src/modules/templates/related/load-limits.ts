import { TemplateLimitError } from '@switchboard/templates';

/**
 * Limits of all statements of one rendering, and of the looks at objects that choose what they read. For each part of a
 * long export they begin again, unless the template stores objects of earlier parts.
 */
export const loadLimits = { rows: 10_000, statements: 100, ms: 2000, bytes: 16_777_216, looks: 1_000_000 };

/** Number of renderings whose statements, time and looks the parts of a long export may use together. */
export const longExport = { renderings: 10 };

/** Amounts that parts of a long export may use again. */
export type LoadStock = Pick<LoadAmounts, 'statements' | 'ms' | 'looks'>;

/** Rows, statements, milliseconds, bytes and looks at objects. */
export type LoadAmounts = { [Name in keyof typeof loadLimits]: number };

/** Returns the error for a template that exceeds a limit of loading. */
export function limitError(limit: TemplateLimitError['limit'], needed: string): TemplateLimitError {
  return new TemplateLimitError(limit, `The template needs ${needed}`);
}

/** Returns the error for a template that needs too many related objects. */
export function tooManyRows(): TemplateLimitError {
  return limitError('rows', `more than ${loadLimits.rows} related objects`);
}
