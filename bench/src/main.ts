/**
 * `npm run bench [-- <suite>…]`: command that prints each benchmark figure as the median of five runs with its spread,
 * and as a ratio to a baseline measured in the same run. The exit code is 1 if a figure misses its target.
 */
import { parseArgs } from 'node:util';
import { chatFigures } from './chat.js';
import { chatPagesFigures } from './chat-pages.js';
import { chatScheduledFigures } from './chat-scheduled.js';
import { chatStreamsFigures } from './chat-streams.js';
import { type ComparisonResult, type LimitResult, formatFigure } from './compare-with-baseline.js';
import { eventsFigures } from './events.js';
import { inventoryFigures } from './inventory.js';
import { fullRequestCount, inventoryHeapFigures } from './inventory-heap.js';
import { inventoryListsFigures } from './inventory-lists.js';
import { fullSize as fullInventory } from './inventory-lists/seed-inventory-lists.js';
import { inventoryNetworkFigures } from './inventory-network.js';
import { inventoryPagesFigures } from './inventory-pages.js';
import { inventoryWritesFigures } from './inventory-writes.js';
import { jobsFigures } from './jobs.js';
import { largeRealmFigures } from './large-realm.js';
import { fullSize } from './pages/seed-message-pages.js';
import { startBenchmarkServices } from './benchmark-services.js';
import { fullSendCount, spansFigures } from './tracing-spans.js';
import { startFigure } from './service-start.js';
import { webhooksFigures } from './webhooks.js';
import { fullWebhooksSize } from './webhooks/bench-inventory.js';

const benchmarkSuites = [
  'inventory',
  'inventory-lists',
  'inventory-pages',
  'inventory-writes',
  'inventory-heap',
  'inventory-network',
  'chat',
  'chat-scheduled',
  'chat-streams',
  'pages',
  'large-realm',
  'events',
  'webhooks',
  'jobs',
  'spans',
  'start',
];

const benchmarkUsage = `Usage: npm run bench [-- <suite>... [options]]

Runs the suites, all by default: ${benchmarkSuites.join(', ')}

  --messages <number>   messages in the database of pages (default: ${fullSize.messages})
  --devices <number>    devices in the database of inventory-lists (default: ${fullInventory.devices})
  --requests <number>   requests of inventory-heap (default: ${fullRequestCount})
  --sends <number>      sends of each run of spans (default: ${fullSendCount})

BENCH_WEBHOOKS_SHARE=0.1 runs a tenth of the work of webhooks. Targets are for the defaults.`;

const { positionals: requested, values: options } = parseArgs({
  allowPositionals: true,
  options: {
    messages: { type: 'string' },
    devices: { type: 'string' },
    requests: { type: 'string' },
    sends: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
const unknownSuiteNames = requested.filter((name) => !benchmarkSuites.includes(name));
if (options.help || unknownSuiteNames.length > 0) {
  console.log(
    unknownSuiteNames.length > 0
      ? `Unknown suite: ${unknownSuiteNames.join(', ')}\n\n${benchmarkUsage}`
      : benchmarkUsage,
  );
  process.exit(options.help ? 0 : 1);
}
const pagesSize = { ...fullSize, messages: Number(options.messages ?? fullSize.messages) };
const listsSize = { devices: Number(options.devices ?? fullInventory.devices) };
const shareOfFullSize = Number(process.env['BENCH_WEBHOOKS_SHARE'] || 1);
const scaleCount = (count: number): number => Math.max(10, Math.round(shareOfFullSize * count));
const webhooksSize = {
  changes: scaleCount(fullWebhooksSize.changes),
  deliveriesEach: scaleCount(fullWebhooksSize.deliveriesEach),
  objects: scaleCount(fullWebhooksSize.objects),
};
const isSuiteSelected = (name: string): boolean => requested.length === 0 || requested.includes(name);
let hasRatioBelowTarget = false;

function printFigures(figures: readonly (ComparisonResult | LimitResult)[]): void {
  for (const figure of figures) {
    console.log(`${formatFigure(figure)}\n`);
    hasRatioBelowTarget ||= !figure.met;
  }
}

const benchmarkStack = await startBenchmarkServices();
try {
  if (isSuiteSelected('inventory')) printFigures(await inventoryFigures(benchmarkStack));
  if (isSuiteSelected('inventory-lists'))
    for await (const figures of inventoryListsFigures(benchmarkStack, listsSize)) printFigures(figures);
  if (isSuiteSelected('inventory-pages'))
    for await (const figures of inventoryPagesFigures(benchmarkStack)) printFigures(figures);
  if (isSuiteSelected('inventory-writes'))
    for await (const figures of inventoryWritesFigures(benchmarkStack)) printFigures(figures);
  if (isSuiteSelected('inventory-heap'))
    printFigures(await inventoryHeapFigures(benchmarkStack, Number(options.requests ?? fullRequestCount)));
  if (isSuiteSelected('inventory-network'))
    for await (const figures of inventoryNetworkFigures(benchmarkStack)) printFigures(figures);
  if (isSuiteSelected('chat')) printFigures(await chatFigures(benchmarkStack));
  if (isSuiteSelected('chat-scheduled')) printFigures(await chatScheduledFigures(benchmarkStack));
  if (isSuiteSelected('chat-streams')) printFigures(await chatStreamsFigures(benchmarkStack));
  if (isSuiteSelected('pages')) printFigures(await chatPagesFigures(benchmarkStack, pagesSize));
  if (isSuiteSelected('large-realm')) printFigures(await largeRealmFigures(benchmarkStack));
  if (isSuiteSelected('events')) for await (const figures of eventsFigures(benchmarkStack)) printFigures(figures);
  if (isSuiteSelected('webhooks'))
    for await (const figures of webhooksFigures(benchmarkStack, webhooksSize)) printFigures(figures);
  if (isSuiteSelected('jobs')) printFigures(await jobsFigures(benchmarkStack));
  if (isSuiteSelected('spans'))
    printFigures(await spansFigures(benchmarkStack, Number(options.sends ?? fullSendCount)));
} finally {
  await benchmarkStack.stop();
}
if (isSuiteSelected('start')) {
  const figure = await startFigure();
  console.log(`${figure.line}\n`);
  hasRatioBelowTarget ||= !figure.met;
}
process.exitCode = hasRatioBelowTarget ? 1 : 0;
