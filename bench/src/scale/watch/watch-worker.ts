/**
 * Worker thread that sends health checks to the measured service. In the main thread, the processing of a large
 * response would delay the checks and appear as an unresponsive service.
 */
import { parentPort } from 'node:worker_threads';
import { Pool } from 'undici';
import type { RepeatedRequest, WatchedRequests, WatchReport } from './watched-request.js';

const probeIntervalMs = 50;
const bystanderIntervalMs = 200;

const connectionPoolByOrigin = new Map<string, Pool>();
let repetitionNumber = 0;

function getConnectionPool(origin: string): Pool {
  const known = connectionPoolByOrigin.get(origin);
  if (known !== undefined) return known;
  const pool = new Pool(origin, { connections: 50, headersTimeout: 600_000, bodyTimeout: 600_000 });
  connectionPoolByOrigin.set(origin, pool);
  return pool;
}

async function sendProbe({ url, method, headers, body }: RepeatedRequest): Promise<{ status: number; text: string }> {
  repetitionNumber += 1;
  const numbered = (text: string): string => text.replaceAll('{n}', String(repetitionNumber));
  const { origin, pathname, search } = new URL(url);
  const response = await getConnectionPool(origin).request({
    method,
    path: numbered(`${pathname}${search}`).replaceAll('%7Bn%7D', String(repetitionNumber)),
    ...(headers === undefined ? {} : { headers }),
    ...(body === undefined ? {} : { body: numbered(body) }),
  });
  return { status: response.statusCode, text: await response.body.text() };
}

/** Sends a request at a fixed interval, even if earlier requests have no response yet. Measures the response times. */
class RepeatedProbe {
  readonly #pending = new Set<Promise<void>>();
  readonly #timer: NodeJS.Timeout;
  slowestMs = 0;
  failures = 0;
  failure = '';

  constructor(
    private readonly request: RepeatedRequest,
    everyMs: number,
  ) {
    this.#beginRequest();
    this.#timer = setInterval(() => this.#beginRequest(), everyMs);
  }

  #beginRequest(): void {
    const pending = this.#measure().finally(() => this.#pending.delete(pending));
    this.#pending.add(pending);
  }

  async #measure(): Promise<void> {
    const started = performance.now();
    try {
      const { status, text } = await sendProbe(this.request);
      if (status >= 300) this.#recordFailure(`${status} ${text.slice(0, 200)}`);
    } catch (error) {
      this.#recordFailure(String(error));
    }
    this.slowestMs = Math.max(this.slowestMs, performance.now() - started);
  }

  #recordFailure(reason: string): void {
    this.failures += 1;
    this.failure ||= `${this.request.method} ${new URL(this.request.url).pathname}: ${reason}`;
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all(this.#pending);
  }
}

let runningRepetitions: { probes: RepeatedProbe[]; bystander: RepeatedProbe } | undefined;

async function watchReport(): Promise<WatchReport> {
  if (runningRepetitions === undefined) throw new Error('the watch was not started');
  const { probes, bystander } = runningRepetitions;
  runningRepetitions = undefined;
  await Promise.all([...probes, bystander].map((repeated) => repeated.stop()));
  const failed = [...probes, bystander].find(({ failure }) => failure !== '');
  return {
    stallMs: Math.max(...probes.map(({ slowestMs }) => slowestMs)),
    bystanderMs: bystander.slowestMs,
    bystanderFailures: bystander.failures,
    failure: failed?.failure ?? '',
  };
}

parentPort?.on('message', (message: WatchedRequests | 'stop') => {
  if (message === 'stop') {
    void watchReport().then((reported) => parentPort?.postMessage(reported));
    return;
  }
  runningRepetitions = {
    probes: message.probes.map((request) => new RepeatedProbe(request, probeIntervalMs)),
    bystander: new RepeatedProbe(message.bystander, bystanderIntervalMs),
  };
});
