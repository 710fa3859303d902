import { isDeepStrictEqual } from 'node:util';
import { join } from 'node:path';
import { addRealm, fetchOwnerAuthorization, benchmarkOwner } from './chat-client.js';
import {
  type MeasuredComparison,
  type ComparisonResult,
  measureComparison,
  type LimitResult,
  compareWithLimit,
  MEASURED_RUN_COUNT,
} from './compare-with-baseline.js';
import { requestsPerSecond } from './measure-load.js';
import { fullSize, type PagesSize, seedConversation } from './pages/seed-message-pages.js';
import { RowReadStatistics } from './pages/row-read-statistics.js';
import { type ServerProcess, startServer } from './server-process.js';
import { repositoryRoot, type BenchmarkServices } from './benchmark-services.js';

const LOAD_SETTINGS = { connections: 8, seconds: 2 };
/**
 * Number of warm-up runs of the chat service and of the baseline server, about 8,000 requests in total, because V8
 * compiles the code for a page only after thousands of requests.
 */
const WARM_UP_RUNS = 5;
const MESSAGES_PER_PAGE = 100;
const MAX_ROWS_READ_RATIO = 10;
/** Expected number of rows read per returned message: one in each table that {@link RowReadStatistics} counts. */
const ROWS_PER_MESSAGE = 3;
const COMMON_WORD_LIMIT_MS = 300;
const REQUESTS_WITH_COUNTED_ROWS = 20;

/**
 * A narrow (message filter) that the benchmark measures. The chat service and the baseline server return the newest
 * hundred messages that match the narrow.
 */
interface NarrowCase {
  readonly title: string;
  readonly narrow: readonly (readonly [operator: string, operand: string])[];
  /** Path of the narrow on the baseline server; null if the baseline server does not support the narrow. */
  readonly baseline: string | null;
}

const narrowCases: readonly NarrowCase[] = [
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

const commonWordNarrow: NarrowCase['narrow'] = [
  ['channels', 'public'],
  ['search', 'common'],
];

function createMessagesPath(narrow: NarrowCase['narrow']): string {
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
  readonly touched: RowReadStatistics;
  stop(): Promise<void>;
}

/**
 * Measures GET /messages in a conversation of a million messages. Compares pages of narrows with the baseline server.
 * Also measures the number of rows that the chat service reads for these pages, and the time of a search for a common
 * word.
 */
export async function chatPagesFigures(
  stack: BenchmarkServices,
  size: PagesSize = fullSize,
): Promise<(ComparisonResult | LimitResult)[]> {
  const sides = await startComparedServers(stack, size);
  try {
    const figures: (ComparisonResult | LimitResult)[] = [];
    const scale = `${size.messages.toLocaleString('en')} messages`;
    for (const each of narrowCases) {
      if (each.baseline !== null) figures.push(await compareNarrow(sides, each, each.baseline, scale));
      figures.push(await rowsReadFigure(sides, each, scale));
    }
    figures.push(await commonWordFigure(sides, scale));
    return figures;
  } finally {
    await sides.stop();
  }
}

async function startComparedServers(stack: BenchmarkServices, size: PagesSize): Promise<ComparedServers> {
  const env = { ...stack.envOf('chat'), DATABASE_URL: stack.services.postgresUrl('bench_chat_pages') };
  addRealm(env);
  const readerId = await seedConversation(env.DATABASE_URL, size, benchmarkOwner.email);
  const main = join(repositoryRoot, 'apps/chat/dist/bundle.js');
  const product = await startServer(main, env, '/health/ready');
  const counted = await startServer(main, { ...env, DATABASE_POOL_SIZE: '2' }, '/health/ready');
  const script = join(import.meta.dirname, 'baselines/pages-server.js');
  const baseline = await startServer(script, { ...env, BENCH_READER: String(readerId) }, '/health/ready');
  const touched = await RowReadStatistics.connect(env.DATABASE_URL);
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

async function compareNarrow(
  { product, baseline, authorization }: ComparedServers,
  { title, narrow }: NarrowCase,
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
      requestsPerSecond(product.origin, { method: 'GET', path: ours, headers, expectStatus: 200 }, LOAD_SETTINGS),
    baseline: () =>
      requestsPerSecond(baseline.origin, { method: 'GET', path: theirs, expectStatus: 200 }, LOAD_SETTINGS),
    target: { atLeast: 0.8 },
  };
  return measureComparison(comparison, WARM_UP_RUNS);
}

async function rowsReadFigure(
  { counted, authorization, touched }: ComparedServers,
  { title, narrow }: NarrowCase,
  scale: string,
): Promise<LimitResult> {
  const path = createMessagesPath(narrow);
  const { messages } = await fetchMessagesPage(counted.origin, path, authorization);
  const { rows, scans } = await touched.averageReadsPerRequest(async () => {
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

async function commonWordFigure({ product, authorization }: ComparedServers, scale: string): Promise<LimitResult> {
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
