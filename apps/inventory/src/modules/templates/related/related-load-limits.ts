import { TemplateLimitError } from '@switchboard/templates';

/**
 * Limits of one rendering on everything it loads, and on visits to loaded objects (`looks`). For further objects of a
 * long export the limits begin again, unless the template stores earlier objects.
 */
export const relatedLoadLimits = { rows: 10_000, statements: 100, ms: 2000, bytes: 16_777_216, looks: 1_000_000 };

/** Number of single renderings whose limits on statements, time and visits a whole long export may use up. */
export const longExportLimits = { renderings: 10 };

/** Amounts that a long export may still use in addition to the limits of a single rendering. */
export type RestorableAmounts = Pick<LoadAmounts, 'statements' | 'ms' | 'looks'>;

/** Amounts of rows, statements, milliseconds, bytes and visits to loaded objects. */
export type LoadAmounts = { [Name in keyof typeof relatedLoadLimits]: number };

/** Returns the error for a template that exceeds a load limit. */
export function loadLimitError(limit: TemplateLimitError['limit'], needed: string): TemplateLimitError {
  return new TemplateLimitError(limit, `The template needs ${needed}`);
}

/** Returns the error for a template that needs too many related objects. */
export function tooManyRowsError(): TemplateLimitError {
  return loadLimitError('rows', `more than ${relatedLoadLimits.rows} related objects`);
}
