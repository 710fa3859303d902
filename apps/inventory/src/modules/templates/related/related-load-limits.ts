import { TemplateLimitError } from '@switchboard/templates';

/**
 * Limits on the data that one template rendering loads, and on its visits to loaded objects (`looks`). In a long
 * export, the limits begin again for further objects, unless the template stores earlier objects in variables.
 */
export const relatedLoadLimits = { rows: 10_000, statements: 100, ms: 2000, bytes: 16_777_216, looks: 1_000_000 };

/**
 * Factor between the limits of a whole long export and the limits of a single template rendering. The factor applies to
 * statements, time and visits to objects.
 */
export const longExportLimitFactor = { renderings: 10 };

/**
 * Numbers of statements, milliseconds and visits that a long export may still use in addition to the limits of a single
 * rendering.
 */
export type RestorableAmounts = Pick<RelatedLoadAmounts, 'statements' | 'ms' | 'looks'>;

/**
 * Numbers of rows, statements, milliseconds, bytes, and visits to loaded objects, which count toward the limits of a
 * template rendering.
 */
export type RelatedLoadAmounts = { [Name in keyof typeof relatedLoadLimits]: number };

/** Returns the error for a template that exceeds a limit on the data that it loads. */
export function createLoadLimitError(limit: TemplateLimitError['limit'], needed: string): TemplateLimitError {
  return new TemplateLimitError(limit, `The template needs ${needed}`);
}

/** Returns the error for a template that needs more related objects than allowed. */
export function createTooManyRowsError(): TemplateLimitError {
  return createLoadLimitError('rows', `more than ${relatedLoadLimits.rows} related objects`);
}
