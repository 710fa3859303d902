import type { FaultSettings } from './settings.js';

/** Prints the counts of a fault test, and the random seed with which the test can be repeated. */
export function printCounts(name: string, settings: FaultSettings, figures: Readonly<Record<string, unknown>>): void {
  console.log(`faults ${name} (FAULT_SEED=${settings.seed})\n${countLines(figures, '  ').join('\n')}`);
}

function countLines(figures: object, indent: string): string[] {
  return Object.entries(figures).map(([name, value]: [string, unknown]) => {
    const text = typeof value === 'object' && value !== null ? countPairs(value) : String(value);
    return `${indent}${name}: ${text}`;
  });
}

function countPairs(figures: object): string {
  return Object.entries(figures)
    .map(([name, value]) => `${name} ${String(value)}`)
    .join(', ');
}
