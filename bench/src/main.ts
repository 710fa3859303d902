/**
 * `npm run bench [-- <suite>…]`: command that prints benchmark figures. Each is the median of five runs with its
 * spread, and a ratio to a baseline measured in the same run. The exit code is 1 if a figure misses its target.
 */
import { parseArgs } from 'node:util';
import { measureChatMessageDelivery } from './chat.js';
import { measureChatPages } from './chat-pages.js';
import { measureScheduledMessages } from './chat-scheduled.js';
import { compareChatStreamsWithBaseline } from './chat-streams.js';
import { type ComparisonResult, type LimitResult, formatFigure } from './compare-with-baseline.js';
import { measureEventLog } from './events.js';
import { eventsPerTableStoreRun, measureTableStore } from './events/table-store.js';
import { measurePrefixListAndCreation } from './inventory.js';
import { measuredListRequestCount, measureInventoryHeap } from './inventory-heap.js';
import { measureInventoryLists } from './inventory-lists.js';
import { publishedInventoryListsSize as fullInventory } from './inventory-lists/seed-inventory-lists.js';
import { measureInventoryNetwork } from './inventory-network.js';
import { measureCachedDeviceListPage } from './inventory-pages.js';
import { measureInventoryWrites } from './inventory-writes.js';
import { measureJobPackage } from './jobs.js';
import { measureLargeRealm } from './large-realm.js';
import { publishedConversationSize } from './pages/seed-message-pages.js';
import { startBenchmarkServices } from './benchmark-services.js';
import { messageSendsPerRun, measureTracingSpanCost } from './tracing-spans.js';
import { measureServiceStarts } from './service-start.js';
import { measureWebhooks } from './webhooks.js';
import { publishedWebhookBenchmarkSize } from './webhooks/bench-inventory.js';

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
  'events-tables',
  'webhooks',
  'jobs',
  'spans',
  'start',
];

const benchmarkUsage = `Usage: npm run bench [-- <suite>... [options]]

Runs the suites, all by default: ${benchmarkSuites.join(', ')}

  --messages <number>   messages in the database of pages (default: ${publishedConversationSize.messages})
  --devices <number>    devices in the database of inventory-lists (default: ${fullInventory.devices})
  --requests <number>   requests of inventory-heap (default: ${measuredListRequestCount})
  --sends <number>      sends of each run of spans (default: ${messageSendsPerRun})
  --events <number>     events of each run of events-tables (default: ${eventsPerTableStoreRun})

BENCH_WEBHOOKS_SHARE=0.1 runs a tenth of the work of webhooks. Targets are for the defaults.`;

const { positionals: requested, values: options } = parseArgs({
  allowPositionals: true,
  options: {
    messages: { type: 'string' },
    devices: { type: 'string' },
    requests: { type: 'string' },
    sends: { type: 'string' },
    events: { type: 'string' },
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
const messagePagesSize = {
  ...publishedConversationSize,
  messages: Number(options.messages ?? publishedConversationSize.messages),
};
const inventoryListsSize = { devices: Number(options.devices ?? fullInventory.devices) };
const webhooksShareOfFullSize = Number(process.env['BENCH_WEBHOOKS_SHARE'] || 1);
const scaleWebhookCount = (count: number): number => Math.max(10, Math.round(webhooksShareOfFullSize * count));
const webhooksBenchmarkSize = {
  changes: scaleWebhookCount(publishedWebhookBenchmarkSize.changes),
  deliveriesEach: scaleWebhookCount(publishedWebhookBenchmarkSize.deliveriesEach),
  objects: scaleWebhookCount(publishedWebhookBenchmarkSize.objects),
};
const isBenchmarkSuiteSelected = (name: string): boolean => requested.length === 0 || requested.includes(name);
let hasRatioBelowTarget = false;

function printBenchmarkFigures(figures: readonly (ComparisonResult | LimitResult)[]): void {
  for (const figure of figures) {
    console.log(`${formatFigure(figure)}\n`);
    hasRatioBelowTarget ||= !figure.met;
  }
}

const startedBenchmarkServices = await startBenchmarkServices();
try {
  if (isBenchmarkSuiteSelected('inventory'))
    printBenchmarkFigures(await measurePrefixListAndCreation(startedBenchmarkServices));
  if (isBenchmarkSuiteSelected('inventory-lists'))
    for await (const figures of measureInventoryLists(startedBenchmarkServices, inventoryListsSize))
      printBenchmarkFigures(figures);
  if (isBenchmarkSuiteSelected('inventory-pages'))
    for await (const figures of measureCachedDeviceListPage(startedBenchmarkServices)) printBenchmarkFigures(figures);
  if (isBenchmarkSuiteSelected('inventory-writes'))
    for await (const figures of measureInventoryWrites(startedBenchmarkServices)) printBenchmarkFigures(figures);
  if (isBenchmarkSuiteSelected('inventory-heap'))
    printBenchmarkFigures(
      await measureInventoryHeap(startedBenchmarkServices, Number(options.requests ?? measuredListRequestCount)),
    );
  if (isBenchmarkSuiteSelected('inventory-network'))
    for await (const figures of measureInventoryNetwork(startedBenchmarkServices)) printBenchmarkFigures(figures);
  if (isBenchmarkSuiteSelected('chat'))
    printBenchmarkFigures(await measureChatMessageDelivery(startedBenchmarkServices));
  if (isBenchmarkSuiteSelected('chat-scheduled'))
    printBenchmarkFigures(await measureScheduledMessages(startedBenchmarkServices));
  if (isBenchmarkSuiteSelected('chat-streams'))
    printBenchmarkFigures(await compareChatStreamsWithBaseline(startedBenchmarkServices));
  if (isBenchmarkSuiteSelected('pages'))
    printBenchmarkFigures(await measureChatPages(startedBenchmarkServices, messagePagesSize));
  if (isBenchmarkSuiteSelected('large-realm')) printBenchmarkFigures(await measureLargeRealm(startedBenchmarkServices));
  if (isBenchmarkSuiteSelected('events'))
    for await (const figures of measureEventLog(startedBenchmarkServices)) printBenchmarkFigures(figures);
  if (isBenchmarkSuiteSelected('events-tables'))
    printBenchmarkFigures(
      await measureTableStore(startedBenchmarkServices, Number(options.events ?? eventsPerTableStoreRun)),
    );
  if (isBenchmarkSuiteSelected('webhooks'))
    for await (const figures of measureWebhooks(startedBenchmarkServices, webhooksBenchmarkSize))
      printBenchmarkFigures(figures);
  if (isBenchmarkSuiteSelected('jobs')) printBenchmarkFigures(await measureJobPackage(startedBenchmarkServices));
  if (isBenchmarkSuiteSelected('spans'))
    printBenchmarkFigures(
      await measureTracingSpanCost(startedBenchmarkServices, Number(options.sends ?? messageSendsPerRun)),
    );
} finally {
  await startedBenchmarkServices.stop();
}
if (isBenchmarkSuiteSelected('start')) {
  const figure = await measureServiceStarts();
  console.log(`${figure.line}\n`);
  hasRatioBelowTarget ||= !figure.met;
}
process.exitCode = hasRatioBelowTarget ? 1 : 0;
