import type { FaultSettings } from './settings.js';

/** Prints the counts of a fault test and the seed that repeats it. */
export function report(name: string, settings: FaultSettings, figures: Readonly<Record<string, unknown>>): void {
  console.log(`faults ${name} (FAULT_SEED=${settings.seed})\n${lines(figures, '  ').join('\n')}`);
}

function lines(figures: object, indent: string): string[] {
  return Object.entries(figures).map(([name, value]: [string, unknown]) => {
    const text = typeof value === 'object' && value !== null ? pairs(value) : String(value);
    return `${indent}${name}: ${text}`;
  });
}

function pairs(figures: object): string {
  return Object.entries(figures)
    .map(([name, value]) => `${name} ${String(value)}`)
    .join(', ');
}
