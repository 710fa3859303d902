/**
 * `npm run bench [-- <suite>…]`: prints each figure as the median of five runs with its spread, and as a ratio to a
 * baseline measured in the same run. The exit code is 1 if a figure misses its target.
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

const suites = [
  'inventory',
  'inventory-lists',
  'inventory-pages',
  'inventory-writes',
  'inventory-heap',
  'chat',
  'pages',
  'large-realm',
  'events',
  'webhooks',
  'jobs',
  'start',
];

const usage = `Usage: npm run bench [-- <suite>... [options]]

Runs the suites, all by default: ${suites.join(', ')}

  --messages <number>   messages in the database of pages (default: ${fullSize.messages})
  --devices <number>    devices in the database of inventory-lists (default: ${fullInventory.devices})
  --requests <number>   requests of inventory-heap (default: ${fullRequests})

BENCH_WEBHOOKS_SHARE=0.1 runs a tenth of the work of webhooks. Targets are for the defaults.`;

const { positionals: requested, values: options } = parseArgs({
  allowPositionals: true,
  options: {
    messages: { type: 'string' },
    devices: { type: 'string' },
    requests: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
const unknownSuites = requested.filter((name) => !suites.includes(name));
if (options.help || unknownSuites.length > 0) {
  console.log(unknownSuites.length > 0 ? `Unknown suite: ${unknownSuites.join(', ')}\n\n${usage}` : usage);
  process.exit(options.help ? 0 : 1);
}
const pagesSize = { ...fullSize, messages: Number(options.messages ?? fullSize.messages) };
const listsSize = { devices: Number(options.devices ?? fullInventory.devices) };
const share = Number(process.env['BENCH_WEBHOOKS_SHARE'] || 1);
const part = (count: number): number => Math.max(10, Math.round(share * count));
const webhooksSize = {
  changes: part(fullWebhooks.changes),
  deliveriesEach: part(fullWebhooks.deliveriesEach),
  objects: part(fullWebhooks.objects),
};
const runs = (name: string): boolean => requested.length === 0 || requested.includes(name);
let hasMissedTarget = false;

function print(figures: readonly (ComparisonResult | LimitResult)[]): void {
  for (const figure of figures) {
    console.log(`${report(figure)}\n`);
    hasMissedTarget ||= !figure.met;
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
  hasMissedTarget ||= !figure.met;
}
process.exitCode = hasMissedTarget ? 1 : 0;
