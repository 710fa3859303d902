import { median } from './measure.js';

/** Two ways of doing the same work, each giving one figure a run. */
export interface Comparison {
  readonly title: string;
  readonly unit: string;
  readonly product: () => Promise<number>;
  readonly baseline: () => Promise<number>;
  /** What the ratio product / baseline has to satisfy. */
  readonly target: { readonly atLeast: number } | { readonly atMost: number };
}

/** The figures of a comparison: the ratio is taken pair by pair, so that a drift of the machine's speed cancels out. */
export interface ComparisonResult {
  readonly title: string;
  readonly unit: string;
  readonly product: readonly number[];
  readonly baseline: readonly number[];
  readonly ratios: readonly number[];
  readonly met: boolean;
  readonly target: string;
}

/** Counted runs of each side, after one that is not counted. */
export const RUNS = 5;

/** Runs both sides in turn, A B A B, and reports the median ratio with its spread. */
export async function compare(comparison: Comparison): Promise<ComparisonResult> {
  const product: number[] = [];
  const baseline: number[] = [];
  for (let run = 0; run <= RUNS; run += 1) {
    const a = await comparison.baseline();
    const b = await comparison.product();
    if (run > 0) {
      baseline.push(a);
      product.push(b);
    }
  }
  const ratios = product.map((value, index) => value / (baseline[index] ?? Number.NaN));
  const middle = median(ratios);
  const { target } = comparison;
  const met = 'atLeast' in target ? middle >= target.atLeast : middle <= target.atMost;
  const wanted = 'atLeast' in target ? `at least ${target.atLeast}` : `at most ${target.atMost}`;
  return { title: comparison.title, unit: comparison.unit, product, baseline, ratios, met, target: wanted };
}

/** One line a figure, in columns that a person can read and a script can split. */
export function report(result: ComparisonResult): string {
  const spread = (values: readonly number[], digits: number): string =>
    `${median(values).toFixed(digits)} (${Math.min(...values).toFixed(digits)} to ${Math.max(...values).toFixed(digits)})`;
  return [
    result.title,
    `  product   ${spread(result.product, 2)} ${result.unit}`,
    `  baseline  ${spread(result.baseline, 2)} ${result.unit}`,
    `  ratio     ${spread(result.ratios, 2)}, wanted ${result.target}: ${result.met ? 'met' : 'MISSED'}`,
  ].join('\n');
}
