import { computeMedian } from './measure-load.js';

/**
 * Two implementations of the same work, product and baseline, which are measured alternately. Each implementation
 * returns one measured value per run.
 */
export interface MeasuredComparison {
  readonly title: string;
  readonly unit: string;
  readonly product: () => Promise<number>;
  readonly baseline: () => Promise<number>;
  /** Required ratio of the product's value to the baseline's value; null if the ratio is only printed. */
  readonly target: { readonly atLeast: number } | { readonly atMost: number } | null;
}

/**
 * Measured values of a {@link MeasuredComparison}, with their ratios. Each ratio compares two consecutive runs, so that changes
 * of the machine's speed cancel out.
 */
export interface ComparisonResult {
  readonly title: string;
  readonly unit: string;
  readonly product: readonly number[];
  readonly baseline: readonly number[];
  readonly ratios: readonly number[];
  readonly met: boolean;
  /** Required ratio of product to baseline, as text; null if the ratio is only printed. */
  readonly target: string | null;
}

/** Number of measured runs of each implementation, after the warm-up runs. */
export const MEASURED_RUN_COUNT = 5;

/**
 * Measures the product and the baseline alternately, and returns the median ratio with its spread.
 *
 * @param warmUps Number of uncounted first runs of each implementation. V8 compiles a code path only after thousands of
 * requests; long paths need more runs than short ones.
 */
export async function measureComparison(comparison: MeasuredComparison, warmUps = 1): Promise<ComparisonResult> {
  const product: number[] = [];
  const baseline: number[] = [];
  for (let run = 0; run < warmUps + MEASURED_RUN_COUNT; run += 1) {
    const a = await comparison.baseline();
    const b = await comparison.product();
    if (run >= warmUps) {
      baseline.push(a);
      product.push(b);
    }
  }
  return computeComparison(comparison, product, baseline);
}

/** Computes the ratios of product to baseline and their spread, from values that were measured alternately. */
export function computeComparison(
  { title, unit, target }: Pick<MeasuredComparison, 'title' | 'unit' | 'target'>,
  product: readonly number[],
  baseline: readonly number[],
): ComparisonResult {
  const ratios = product.map((value, index) => value / (baseline[index] ?? Number.NaN));
  const middle = computeMedian(ratios);
  if (target === null) return { title, unit, product, baseline, ratios, met: true, target: null };
  const met = 'atLeast' in target ? middle >= target.atLeast : middle <= target.atMost;
  const requirement = 'atLeast' in target ? `at least ${target.atLeast}` : `at most ${target.atMost}`;
  return { title, unit, product, baseline, ratios, met, target: requirement };
}

/** Result of comparing a measured figure with a fixed limit. */
export interface LimitResult {
  readonly title: string;
  readonly unit: string;
  readonly values: readonly number[];
  readonly met: boolean;
  /** Required limit of the figure as text; null if the figure is only printed. */
  readonly target: string | null;
}

/**
 * Compares the median of a measurement with a limit. If the limit is null, the result contains the median without a
 * comparison.
 */
export function compareWithLimit(
  title: string,
  unit: string,
  values: readonly number[],
  atMost: number | null,
): LimitResult {
  if (atMost === null) return { title, unit, values, met: true, target: null };
  return { title, unit, values, met: computeMedian(values) <= atMost, target: `at most ${Number(atMost.toFixed(2))}` };
}

function formatTargetResult({ target, met }: Pick<ComparisonResult, 'target' | 'met'>): string {
  return target === null ? '' : `, target ${target}: ${met ? 'met' : 'MISSED'}`;
}

function formatSpread(values: readonly number[], digits: number): string {
  return `${computeMedian(values).toFixed(digits)} (${Math.min(...values).toFixed(digits)} to ${Math.max(...values).toFixed(digits)})`;
}

/**
 * Formats a benchmark figure as text: the title, the values of product and baseline, and their ratio. Each number is
 * printed with its spread.
 */
export function formatFigure(result: ComparisonResult | LimitResult): string {
  if ('values' in result) {
    const { title, unit, values } = result;
    return `${title}\n  product   ${formatSpread(values, 2)} ${unit}${formatTargetResult(result)}`;
  }
  return [
    result.title,
    `  product   ${formatSpread(result.product, 2)} ${result.unit}`,
    `  baseline  ${formatSpread(result.baseline, 2)} ${result.unit}`,
    `  ratio     ${formatSpread(result.ratios, 2)}${formatTargetResult(result)}`,
  ].join('\n');
}
