import type { OperationMeasurement } from './measured-operation.js';

/** A required limit for the measured values of some operations, for a database of the large size. */
export interface OperationMeasurementLimit {
  readonly title: string;
  /**
   * Names of the operations to which the limit applies. A name that ends in an asterisk is a prefix of operation names.
   */
  readonly operations: readonly string[];
  readonly value: 'medianMs' | 'stallMs' | 'bystanderMs' | 'addedMb';
  readonly atMost: number;
  /**
   * Additional limit for the median at the large size: a multiple of the median at the middle size. If `orMs`
   * milliseconds is greater than that multiple, `orMs` is the limit.
   */
  readonly comparedToMiddle?: { readonly times: number; readonly orMs: number };
}

/** Measured values for one database size, by name of the operation. */
export type MeasurementsByOperation = Readonly<Record<string, OperationMeasurement>>;

const unitLabelByMeasurement = {
  medianMs: 'ms',
  stallMs: 'ms stall',
  bystanderMs: 'ms of a bystander',
  addedMb: 'MB added',
} as const;

/**
 * Returns a line of text that states whether the measurements meet a limit, and names the operation with the worst
 * value.
 */
export function formatLimitResult(
  figure: OperationMeasurementLimit,
  measured: MeasurementsByOperation,
  middle: MeasurementsByOperation | undefined,
): string {
  const { title, value, atMost } = figure;
  const names = Object.keys(measured).filter((name) =>
    figure.operations.some((pattern) => matchesOperationName(name, pattern)),
  );
  const limit = `${title}: at most ${atMost} ${unitLabelByMeasurement[value]}`;
  if (names.length === 0) return `not measured  ${limit}`;
  const failed = names.filter((name) => measured[name]?.error !== undefined);
  if (failed.length > 0) return `MISSED        ${limit}; failed: ${failed.join(', ')}`;
  const valueOf = (name: string): number => measured[name]?.[value] ?? Number.NaN;
  const above = names.filter((name) => valueOf(name) > atMost).sort((a, b) => valueOf(b) - valueOf(a));
  const slower = names.filter((name) => exceedsGrowthLimit(figure, measured[name], middle?.[name]));
  const worst = names.reduce((a, b) => (valueOf(a) > valueOf(b) ? a : b));
  if (above.length === 0 && slower.length === 0)
    return `met           ${limit}; ${formatRoundedNumber(valueOf(worst))}: ${worst}`;
  const reasons = [
    ...above.slice(0, 5).map((name) => `${formatRoundedNumber(valueOf(name))}: ${name}`),
    ...(above.length > 5 ? [`and ${above.length - 5} more`] : []),
    ...slower.map((name) => `more than ${figure.comparedToMiddle?.times} times middle: ${name}`),
  ];
  return `MISSED        ${limit}; ${reasons.join('; ')}`;
}

/**
 * Checks that each figure names an operation that exists.
 *
 * @throws Error that lists the names to which no operation corresponds
 */
export function requireNamedOperationsExist(
  figures: readonly OperationMeasurementLimit[],
  operations: readonly string[],
): void {
  const unknown = figures
    .flatMap((figure) => figure.operations)
    .filter((pattern) => !operations.some((name) => matchesOperationName(name, pattern)));
  if (unknown.length > 0) throw new Error(`Figures name operations that do not exist: ${unknown.join(', ')}`);
}

function matchesOperationName(name: string, pattern: string): boolean {
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}

function exceedsGrowthLimit(
  { comparedToMiddle }: OperationMeasurementLimit,
  large: OperationMeasurement | undefined,
  middle: OperationMeasurement | undefined,
): boolean {
  if (comparedToMiddle === undefined || !large?.medianMs || !middle?.medianMs) return false;
  return large.medianMs > Math.max(comparedToMiddle.times * middle.medianMs, comparedToMiddle.orMs);
}

const formatRoundedNumber = (value: number): string => (value < 10 ? value.toFixed(1) : value.toFixed(0));
