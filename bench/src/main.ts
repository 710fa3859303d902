/**
 * `npm run bench [-- inventory | inventory-lists | inventory-pages | inventory-writes | inventory-heap | chat | pages | large-realm | events | jobs | webhooks | start]`: prints
 * each figure as the median of five runs with its spread, and as a ratio to a baseline measured in the same run. The exit
 * code is 1 when a figure misses what is wanted of it. `--messages=50000` makes the conversation of `pages` smaller than
 * the million that its figures are for, `--devices=1000` the inventory of `inventory-lists` smaller than its 100,000
 * devices, `--requests=5000` those of `inventory-heap` fewer than 100,000; BENCH_WEBHOOKS_SHARE=0.1 does a tenth of what the figures of `webhooks` are for.
 */
import { parseArgs } from 'node:util';
import { chatFigures } from './chat.js';
import { chatPagesFigures } from './chat-pages.js';
import { type ComparisonResult, type LimitResult, report } from './compare.js';
import { eventsFigures } from './events.js';
import { inventoryFigures } from './inventory.js';
import { fullRequests, inventoryHeapFigures } from './inventory-heap.js';
import { inventoryListsFigures } from './inventory-lists.js';
import { fullSize as fullInventory } from './inventory-lists/seed.js';
import { inventoryPagesFigures } from './inventory-pages.js';
import { inventoryWritesFigures } from './inventory-writes.js';
import { jobsFigures } from './jobs.js';
import { largeRealmFigures } from './large-realm.js';
import { fullSize } from './pages/seed.js';
import { startStack } from './stack.js';
import { startFigure } from './start.js';
import { webhooksFigures } from './webhooks.js';
import { fullWebhooks } from './webhooks/inventory.js';

const { positionals: wanted, values: options } = parseArgs({
  allowPositionals: true,
  options: { messages: { type: 'string' }, devices: { type: 'string' }, requests: { type: 'string' } },
});
const pagesSize = { ...fullSize, messages: Number(options.messages ?? fullSize.messages) };
const listsSize = { devices: Number(options.devices ?? fullInventory.devices) };
const share = Number(process.env['BENCH_WEBHOOKS_SHARE'] || 1);
const part = (count: number): number => Math.max(10, Math.round(share * count));
const webhooksSize = {
  changes: part(fullWebhooks.changes),
  deliveriesEach: part(fullWebhooks.deliveriesEach),
  objects: part(fullWebhooks.objects),
};
const runs = (name: string): boolean => wanted.length === 0 || wanted.includes(name);
let missed = false;

function print(figures: readonly (ComparisonResult | LimitResult)[]): void {
  for (const figure of figures) {
    console.log(`${report(figure)}\n`);
    missed ||= !figure.met;
  }
}

const stack = await startStack();
try {
  if (runs('inventory')) print(await inventoryFigures(stack));
  if (runs('inventory-lists')) for await (const figures of inventoryListsFigures(stack, listsSize)) print(figures);
  if (runs('inventory-pages')) for await (const figures of inventoryPagesFigures(stack)) print(figures);
  if (runs('inventory-writes')) for await (const figures of inventoryWritesFigures(stack)) print(figures);
  if (runs('inventory-heap')) print(await inventoryHeapFigures(stack, Number(options.requests ?? fullRequests)));
  if (runs('chat')) print(await chatFigures(stack));
  if (runs('pages')) print(await chatPagesFigures(stack, pagesSize));
  if (runs('large-realm')) print(await largeRealmFigures(stack));
  if (runs('events')) for await (const figures of eventsFigures(stack)) print(figures);
  if (runs('webhooks')) for await (const figures of webhooksFigures(stack, webhooksSize)) print(figures);
  if (runs('jobs')) print(await jobsFigures(stack));
} finally {
  await stack.stop();
}
if (runs('start')) {
  const figure = await startFigure();
  console.log(`${figure.line}\n`);
  missed ||= !figure.met;
}
process.exitCode = missed ? 1 : 0;
