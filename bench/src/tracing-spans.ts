import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot, type BenchmarkServices } from './benchmark-services.js';
import { createBenchmarkRealm, signInOwner, type ChatClient } from './chat-client.js';
import { compareWithLimit, type LimitResult } from './compare-with-baseline.js';
import { startServerProcess, type ServerProcess } from './server-process.js';
import { subscribeRealmOwnerToChannel } from './streams/subscribe-owner-to-channels.js';

/** Number of message sends for which each run measures the CPU time. */
export const messageSendsPerRun = 20_000;

const MEASUREMENT_RUN_COUNT = 10;
const CONCURRENT_MESSAGE_SENDS = 4;

/** Maximum median difference of CPU time between the chat service with spans and without spans, in percent. */
const MAX_CPU_TIME_DIFFERENCE = 2;

/** Number of clock ticks per second in which the Linux kernel reports CPU times; see `getconf CLK_TCK`. */
const CPU_CLOCK_TICKS_PER_SECOND = 100;

/** A chat process, and a client that sends messages to it. */
interface MeasuredChatProcess {
  readonly server: ServerProcess;
  readonly client: ChatClient;
}

/** Returns the CPU time that a process has used since its start, in seconds. */
function readProcessCpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name of the program, in parentheses, may contain spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / CPU_CLOCK_TICKS_PER_SECOND;
}

/**
 * Sends messages to the chat service. Returns the CPU time in seconds that the chat process used during these sends.
 */
async function measureCpuSecondsOfMessageSends(
  { server, client }: MeasuredChatProcess,
  count: number,
): Promise<number> {
  const before = readProcessCpuSeconds(server.pid);
  let started = 0;
  const sendNext = async (): Promise<void> => {
    while (started < count) {
      started += 1;
      const message = { type: 'stream', to: 'general', topic: 'benchmark', content: `message ${started}` };
      await client.post('/api/v1/messages', message);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT_MESSAGE_SENDS }, sendNext));
  return readProcessCpuSeconds(server.pid) - before;
}

async function startChatService(bundle: string, env: Record<string, string>): Promise<MeasuredChatProcess> {
  const server = await startServerProcess(join(repositoryRoot, 'apps/chat/dist', bundle), env, '/health/ready');
  return { server, client: await signInOwner(server) };
}

/** Writes a copy of the chat service's bundle that does not create tracing spans. */
function writeBundleWithoutTracingSpans(): void {
  const args = [join(repositoryRoot, 'tools/bundle.mjs'), '--without-spans', 'chat'];
  const result = spawnSync(process.execPath, args, { encoding: 'utf8' });
  if (result.status !== 0) throw new Error(`bundling failed:\n${result.stdout}${result.stderr}`);
}

/** Environment variables with which the chat service has a tracer provider whose sampler records no span. */
const unsampledTracingEnv = {
  // The service never connects to this collector, because there are no spans to export.
  OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
  OTEL_TRACES_SAMPLER: 'always_off',
};

/** Returns the differences of the CPU times of two chat processes in percent, run by run. */
const computeDifferences = (seconds: readonly number[], baseline: readonly number[]): number[] =>
  seconds.map((value, run) => (value / (baseline[run] ?? Number.NaN) - 1) * 100);

/**
 * Compares the CPU time of sends to the chat service with a bundle that creates no spans. The usual bundle runs without a
 * tracer provider, where only the API of OpenTelemetry is loaded. It also runs with a sampler that records no span. The
 * three processes are measured alternately, ten times each. The figure without a provider meets its target if the median
 * difference is at most 2 %. One pair of runs in which the usual bundle used no more time suffices too.
 */
export async function measureTracingSpanCost(stack: BenchmarkServices, sendCount: number): Promise<LimitResult[]> {
  writeBundleWithoutTracingSpans();
  const env = stack.envOf('chat');
  createBenchmarkRealm(env);
  await subscribeRealmOwnerToChannel(env['DATABASE_URL'] ?? '');
  const chats: (MeasuredChatProcess & { readonly seconds: number[] })[] = [];
  try {
    for (const [bundle, variables] of [
      ['bundle-without-spans.js', {}],
      ['bundle.js', {}],
      ['bundle.js', unsampledTracingEnv],
    ] as const)
      chats.push({ ...(await startChatService(bundle, { ...env, ...variables })), seconds: [] });
    for (const chat of chats) await measureCpuSecondsOfMessageSends(chat, Math.ceil(sendCount / 4));
    for (let run = 0; run < MEASUREMENT_RUN_COUNT; run += 1) {
      // The order alternates, because each send makes the database larger.
      for (const chat of run % 2 === 0 ? chats : chats.toReversed())
        chat.seconds.push(await measureCpuSecondsOfMessageSends(chat, sendCount));
    }
    const [withoutSpans = [], withoutProvider = [], unsampled = []] = chats.map(({ seconds }) => seconds);
    const title = `CPU time of ${sendCount} sends, difference to a bundle without spans`;
    const differences = computeDifferences(withoutProvider, withoutSpans);
    const figure = compareWithLimit(`${title}, without a tracer provider`, '%', differences, MAX_CPU_TIME_DIFFERENCE);
    return [
      { ...figure, met: figure.met || Math.min(...differences) <= 0 },
      compareWithLimit(
        `${title}, with a sampler that records nothing`,
        '%',
        computeDifferences(unsampled, withoutSpans),
        null,
      ),
    ];
  } finally {
    await Promise.all(chats.map(({ client }) => client.close()));
    await Promise.all(chats.map(({ server }) => server.stop()));
  }
}
