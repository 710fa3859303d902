import { describe, expect, it } from 'vitest';
import { Metrics } from './metrics.js';

/** Returns the values of a metric from a new snapshot of all metrics. */
async function values(metrics: Metrics, name: string): Promise<number[] | undefined> {
  const { figures } = await metrics.snapshot();
  return figures.find((figure) => figure.name === name)?.values.map(({ value }) => value);
}

describe('Metrics.addGaugeReadAtScrape', () => {
  it.each([
    ['with labels', ['kind']],
    ['without labels', []],
  ])('has no value when the gauge %s cannot be read', async (_case, labelNames) => {
    const metrics = new Metrics();
    const labels = labelNames.length === 0 ? {} : { kind: 'a' };
    const readings = [[{ labels, value: 7 }]];
    const read = (): { labels: Record<string, string>; value: number }[] => {
      const reading = readings.pop();
      if (reading === undefined) throw new Error('down');
      return reading;
    };
    metrics.addGaugeReadAtScrape('rows', 'Rows', read, labelNames);
    expect(await values(metrics, 'rows')).toEqual([7]);
    expect(await values(metrics, 'rows')).toEqual([]);
  });
});

describe('Metrics.addCounterReadAtScrape', () => {
  it('retains the value of the last successful read when a later read fails', async () => {
    const metrics = new Metrics();
    let reading: number | undefined;
    metrics.addCounterReadAtScrape('runs_total', 'Runs', () => {
      if (reading === undefined) throw new Error('down');
      return reading;
    });
    expect(await values(metrics, 'runs_total')).toEqual([]);
    reading = 300;
    expect(await values(metrics, 'runs_total')).toEqual([300]);
    reading = undefined;
    expect(await values(metrics, 'runs_total')).toEqual([300]);
  });

  it('adds an increase only once when two snapshots are taken concurrently', async () => {
    const metrics = new Metrics();
    const releases: (() => void)[] = [];
    const read = async (): Promise<number> => {
      await new Promise<void>((resolve) => releases.push(resolve));
      return 500;
    };
    metrics.addCounterReadAtScrape('runs_total', 'Runs', read);
    const snapshots = [values(metrics, 'runs_total'), values(metrics, 'runs_total')];
    await expect.poll(() => releases.length).toBe(2);
    for (const release of releases) release();
    expect(await Promise.all(snapshots)).toEqual([[500], [500]]);
  });
});
