import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot, type BenchmarkServices } from './benchmark-services.js';
import { addRealm, signInOwner, type ChatClient } from './chat-client.js';
import { compareWithLimit, type LimitResult } from './compare-with-baseline.js';
import { startServer, type ServerProcess } from './server-process.js';
import { subscribeOwner } from './streams/subscribe-owner-to-channels.js';

/** Number of message sends for which each run measures the CPU time. */
export const fullSendCount = 20_000;

const RUN_COUNT = 10;
const CONCURRENT_SENDS = 4;

/** Maximum median difference of CPU time between the chat service with spans and without spans, in percent. */
const MAX_DIFFERENCE = 2;

/** Number of clock ticks per second in which the Linux kernel reports CPU times; see `getconf CLK_TCK`. */
const TICKS_PER_SECOND = 100;

/** A chat process, and a client that sends messages to it. */
interface MeasuredChat {
  readonly server: ServerProcess;
  readonly client: ChatClient;
}

/** Returns the CPU time that a process has used since its start, in seconds. */
function readCpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name of the program, in parentheses, may contain spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/**
 * Sends messages to the chat service. Returns the CPU time in seconds that the chat process used during these sends.
 */
async function cpuSecondsOfSends({ server, client }: MeasuredChat, count: number): Promise<number> {
  const before = readCpuSeconds(server.pid);
  let started = 0;
  const sendNext = async (): Promise<void> => {
    while (started < count) {
      started += 1;
      const message = { type: 'stream', to: 'general', topic: 'benchmark', content: `message ${started}` };
      await client.post('/api/v1/messages', message);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT_SENDS }, sendNext));
  return readCpuSeconds(server.pid) - before;
}

async function startChatService(bundle: string, env: Record<string, string>): Promise<MeasuredChat> {
  const server = await startServer(join(repositoryRoot, 'apps/chat/dist', bundle), env, '/health/ready');
  return { server, client: await signInOwner(server) };
}

/** Writes a copy of the chat service's bundle that does not create tracing spans. */
function bundleWithoutSpans(): void {
  const args = [join(repositoryRoot, 'tools/bundle.mjs'), '--without-spans', 'chat'];
  const result = spawnSync(process.execPath, args, { encoding: 'utf8' });
  if (result.status !== 0) throw new Error(`bundling failed:\n${result.stdout}${result.stderr}`);
}

/**
 * Compares the CPU time of sends to the chat service without a tracer provider, with its usual bundle and with a bundle
 * that creates no spans. The two bundles are measured alternately, ten times each. The figure meets its target if the
 * median difference is at most 2 %, or if in at least one pair of runs the usual bundle used no more time.
 */
export async function spansFigures(stack: BenchmarkServices, sendCount: number): Promise<LimitResult[]> {
  bundleWithoutSpans();
  const env = stack.envOf('chat');
  addRealm(env);
  await subscribeOwner(env['DATABASE_URL'] ?? '');
  const chats: MeasuredChat[] = [];
  try {
    const usual = await startChatService('bundle.js', env);
    chats.push(usual);
    const reduced = await startChatService('bundle-without-spans.js', env);
    chats.push(reduced);
    for (const chat of chats) await cpuSecondsOfSends(chat, Math.ceil(sendCount / 4));
    const differences: number[] = [];
    for (let run = 0; run < RUN_COUNT; run += 1) {
      // The order alternates, because each send makes the database larger.
      const order = run % 2 === 0 ? [usual, reduced] : [reduced, usual];
      const seconds = new Map<MeasuredChat, number>();
      for (const chat of order) seconds.set(chat, await cpuSecondsOfSends(chat, sendCount));
      differences.push(((seconds.get(usual) ?? Number.NaN) / (seconds.get(reduced) ?? Number.NaN) - 1) * 100);
    }
    const title = `CPU time of ${sendCount} sends without a tracer provider, difference to a bundle without spans`;
    const figure = compareWithLimit(title, '%', differences, MAX_DIFFERENCE);
    return [{ ...figure, met: figure.met || Math.min(...differences) <= 0 }];
  } finally {
    await Promise.all(chats.map(({ client }) => client.close()));
    await Promise.all(chats.map(({ server }) => server.stop()));
  }
}
