/**
 * `npm run bench [-- inventory | chat | start]`: prints each figure as the median of five runs with its spread, and
 * as a ratio to a baseline measured in the same run. The exit code is 1 when a figure misses what is wanted of it.
 */
import { chatFigures } from './chat.js';
import { type ComparisonResult, report } from './compare.js';
import { inventoryFigures } from './inventory.js';
import { startStack } from './stack.js';
import { startFigure } from './start.js';

const wanted = process.argv.slice(2);
const runs = (name: string): boolean => wanted.length === 0 || wanted.includes(name);
let missed = false;

function print(figures: readonly ComparisonResult[]): void {
  for (const figure of figures) {
    console.log(`${report(figure)}\n`);
    missed ||= !figure.met;
  }
}

const stack = await startStack();
try {
  if (runs('inventory')) print(await inventoryFigures(stack));
  if (runs('chat')) print(await chatFigures(stack));
} finally {
  await stack.stop();
}
if (runs('start')) {
  const figure = await startFigure();
  console.log(`${figure.line}\n`);
  missed ||= !figure.met;
}
process.exitCode = missed ? 1 : 0;
