import { isDeepStrictEqual } from 'node:util';
import { join } from 'node:path';
import { createBenchmarkRealm, fetchOwnerAuthorization, benchmarkOwner } from './chat-client.js';
import {
  type MeasuredComparison,
  type ComparisonResult,
  measureComparison,
  type LimitResult,
  compareWithLimit,
  MEASURED_RUN_COUNT,
} from './compare-with-baseline.js';
import { measureRequestsPerSecond } from './measure-load.js';
import {
  publishedConversationSize,
  type GeneratedConversationSize,
  seedConversation,
} from './pages/seed-message-pages.js';
import { MessageRowReadStatistics } from './pages/row-read-statistics.js';
import { type ServerProcess, startServerProcess } from './server-process.js';
import { repositoryRoot, type BenchmarkServices } from './benchmark-services.js';

const HTTP_LOAD_SETTINGS = { connections: 8, seconds: 2 };
/**
 * Number of warm-up runs of the chat service and of the baseline server, about 8,000 requests in total. V8 compiles the
 * code for a page only after thousands of requests.
 */
const WARM_UP_RUNS = 5;
const MESSAGES_PER_PAGE = 100;
const MAX_ROWS_READ_RATIO = 10;
/** Expected number of rows read per returned message: one in each table that {@link MessageRowReadStatistics} counts. */
const ROWS_PER_MESSAGE = 3;
const COMMON_WORD_LIMIT_MS = 300;
const REQUESTS_WITH_COUNTED_ROWS = 20;

/**
 * A narrow (message filter) that the benchmark measures. The chat service and the baseline server return the newest
 * hundred messages that match the narrow.
 */
interface NarrowBenchmarkCase {
  readonly title: string;
  readonly narrow: readonly (readonly [operator: string, operand: string])[];
  /** Path of the narrow on the baseline server; null if the baseline server does not support the narrow. */
  readonly baseline: string | null;
}

const narrowBenchmarkCases: readonly NarrowBenchmarkCase[] = [
  { title: 'channel', narrow: [['channel', 'seed7']], baseline: '/messages/channel?channel=seed7' },
  {
    title: 'topic',
    narrow: [
      ['channel', 'seed7'],
      ['topic', 'topic 3'],
    ],
    baseline: '/messages/topic?channel=seed7&topic=topic%203',
  },
  { title: 'own history', narrow: [], baseline: '/messages/history' },
  {
    title: 'search for a word in 1,000 messages',
    narrow: [
      ['channels', 'public'],
      ['search', 'scarce'],
    ],
    baseline: null,
  },
];

const commonWordNarrow: NarrowBenchmarkCase['narrow'] = [
  ['channels', 'public'],
  ['search', 'common'],
];

function createMessagesPath(narrow: NarrowBenchmarkCase['narrow']): string {
  const query = {
    anchor: 'newest',
    num_before: String(MESSAGES_PER_PAGE),
    num_after: '0',
    narrow: JSON.stringify(narrow),
  };
  return `/api/v1/messages?${new URLSearchParams(query).toString()}`;
}

/**
 * Servers that the benchmark compares: the chat service and the baseline server, on one database. Includes the
 * credentials of the realm owner.
 */
interface ComparedServers {
  readonly product: ServerProcess;
  /**
   * A process of the chat service with as few database connections as possible, so that PostgreSQL's statistics include
   * the rows read by each request.
   */
  readonly counted: ServerProcess;
  readonly baseline: ServerProcess;
  readonly authorization: string;
  readonly touched: MessageRowReadStatistics;
  stop(): Promise<void>;
}

/**
 * Measures GET /messages in a conversation of a million messages. Compares pages of narrows with the baseline server.
 * Also measures the number of rows that the chat service reads for these pages, and the time of a search for a common
 * word.
 */
export async function measureChatPages(
  stack: BenchmarkServices,
  size: GeneratedConversationSize = publishedConversationSize,
): Promise<(ComparisonResult | LimitResult)[]> {
  const sides = await startComparedServers(stack, size);
  try {
    const figures: (ComparisonResult | LimitResult)[] = [];
    const scale = `${size.messages.toLocaleString('en')} messages`;
    for (const each of narrowBenchmarkCases) {
      if (each.baseline !== null) figures.push(await compareNarrowWithBaseline(sides, each, each.baseline, scale));
      figures.push(await measureRowsRead(sides, each, scale));
    }
    figures.push(await measureCommonWordSearch(sides, scale));
    return figures;
  } finally {
    await sides.stop();
  }
}

async function startComparedServers(
  stack: BenchmarkServices,
  size: GeneratedConversationSize,
): Promise<ComparedServers> {
  const env = { ...stack.envOf('chat'), DATABASE_URL: stack.services.postgresUrl('bench_chat_pages') };
  createBenchmarkRealm(env);
  const readerId = await seedConversation(env.DATABASE_URL, size, benchmarkOwner.email);
  const main = join(repositoryRoot, 'apps/chat/dist/bundle.js');
  const product = await startServerProcess(main, env, '/health/ready');
  const counted = await startServerProcess(main, { ...env, DATABASE_POOL_SIZE: '2' }, '/health/ready');
  const script = join(import.meta.dirname, 'baselines/pages-server.js');
  const baseline = await startServerProcess(script, { ...env, BENCH_READER: String(readerId) }, '/health/ready');
  const touched = await MessageRowReadStatistics.connect(env.DATABASE_URL);
  return {
    product,
    counted,
    baseline,
    authorization: await fetchOwnerAuthorization(product),
    touched,
    stop: async () => {
      await touched.close();
      await Promise.all([product.stop(), counted.stop(), baseline.stop()]);
    },
  };
}

interface MessagesPage {
  readonly result: string;
  readonly msg: string;
  readonly messages: readonly unknown[];
}

async function fetchMessagesPage(origin: string, path: string, authorization = ''): Promise<MessagesPage> {
  const response = await fetch(`${origin}${path}`, { headers: { authorization } });
  const page = (await response.json()) as MessagesPage;
  if (page.result !== 'success') throw new Error(`${path}: ${page.msg}`);
  return page;
}

async function compareNarrowWithBaseline(
  { product, baseline, authorization }: ComparedServers,
  { title, narrow }: NarrowBenchmarkCase,
  theirs: string,
  scale: string,
): Promise<ComparisonResult> {
  const ours = createMessagesPath(narrow);
  // A comparison is valid only if both sides return the same messages.
  const pages = [
    await fetchMessagesPage(product.origin, ours, authorization),
    await fetchMessagesPage(baseline.origin, theirs),
  ];
  if (!isDeepStrictEqual(pages[0], pages[1])) {
    throw new Error(
      `the two servers respond differently:\n${pages.map((page) => JSON.stringify(page).slice(0, 1500)).join('\n')}`,
    );
  }
  const headers = { authorization };
  const comparison: MeasuredComparison = {
    title: `GET /messages: ${MESSAGES_PER_PAGE} of ${scale}, ${title}`,
    unit: 'requests/s',
    product: () =>
      measureRequestsPerSecond(
        product.origin,
        { method: 'GET', path: ours, headers, expectStatus: 200 },
        HTTP_LOAD_SETTINGS,
      ),
    baseline: () =>
      measureRequestsPerSecond(baseline.origin, { method: 'GET', path: theirs, expectStatus: 200 }, HTTP_LOAD_SETTINGS),
    target: { atLeast: 0.8 },
  };
  return measureComparison(comparison, WARM_UP_RUNS);
}

async function measureRowsRead(
  { counted, authorization, touched }: ComparedServers,
  { title, narrow }: NarrowBenchmarkCase,
  scale: string,
): Promise<LimitResult> {
  const path = createMessagesPath(narrow);
  const { messages } = await fetchMessagesPage(counted.origin, path, authorization);
  const { rows, scans } = await touched.measureAverageReadsPerRequest(async () => {
    await fetchMessagesPage(counted.origin, path, authorization);
  }, REQUESTS_WITH_COUNTED_ROWS);
  if (scans > 0) throw new Error(`${title}: a table of messages was read completely`);
  const ratio = rows / (messages.length * ROWS_PER_MESSAGE);
  return compareWithLimit(
    `Rows read per returned message, ${messages.length} of ${scale}, ${title}`,
    'rows',
    [ratio],
    MAX_ROWS_READ_RATIO,
  );
}

async function measureCommonWordSearch(
  { product, authorization }: ComparedServers,
  scale: string,
): Promise<LimitResult> {
  const samples: number[] = [];
  for (let run = 0; run <= MEASURED_RUN_COUNT; run += 1) {
    const started = performance.now();
    await fetchMessagesPage(product.origin, createMessagesPath(commonWordNarrow), authorization);
    if (run > 0) samples.push(performance.now() - started);
  }
  return compareWithLimit(
    `Search for a word that occurs in every second of ${scale}`,
    'ms',
    samples,
    COMMON_WORD_LIMIT_MS,
  );
}
