/**
 * Worker thread that sends health checks to the measured service. In the main thread, the processing of a large
 * response would delay the checks and appear as an unresponsive service.
 */
import { parentPort } from 'node:worker_threads';
import { Pool } from 'undici';
import type { RepeatedRequest, MonitoredRequests, SlowestResponseTimes } from './watched-request.js';

const healthCheckIntervalMs = 50;
const backgroundWriteIntervalMs = 200;

const connectionPoolByOrigin = new Map<string, Pool>();
let nextRequestRepetitionNumber = 0;

function getConnectionPool(origin: string): Pool {
  const known = connectionPoolByOrigin.get(origin);
  if (known !== undefined) return known;
  const pool = new Pool(origin, { connections: 50, headersTimeout: 600_000, bodyTimeout: 600_000 });
  connectionPoolByOrigin.set(origin, pool);
  return pool;
}

async function sendRepeatedRequest({
  url,
  method,
  headers,
  body,
}: RepeatedRequest): Promise<{ status: number; text: string }> {
  nextRequestRepetitionNumber += 1;
  const numbered = (text: string): string => text.replaceAll('{n}', String(nextRequestRepetitionNumber));
  const { origin, pathname, search } = new URL(url);
  const response = await getConnectionPool(origin).request({
    method,
    path: numbered(`${pathname}${search}`).replaceAll('%7Bn%7D', String(nextRequestRepetitionNumber)),
    ...(headers === undefined ? {} : { headers }),
    ...(body === undefined ? {} : { body: numbered(body) }),
  });
  return { status: response.statusCode, text: await response.body.text() };
}

/** Sends a request at a fixed interval, even if earlier requests have no response yet. Measures the response times. */
class RequestRepeater {
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
      const { status, text } = await sendRepeatedRequest(this.request);
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

  async stopRepeating(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all(this.#pending);
  }
}

let runningRequestRepeaters: { probes: RequestRepeater[]; bystander: RequestRepeater } | undefined;

async function stopAndCreateResponseTimeReport(): Promise<SlowestResponseTimes> {
  if (runningRequestRepeaters === undefined) throw new Error('the watch was not started');
  const { probes, bystander } = runningRequestRepeaters;
  runningRequestRepeaters = undefined;
  await Promise.all([...probes, bystander].map((repeated) => repeated.stopRepeating()));
  const failed = [...probes, bystander].find(({ failure }) => failure !== '');
  return {
    stallMs: Math.max(...probes.map(({ slowestMs }) => slowestMs)),
    bystanderMs: bystander.slowestMs,
    bystanderFailures: bystander.failures,
    failure: failed?.failure ?? '',
  };
}

parentPort?.on('message', (message: MonitoredRequests | 'stop') => {
  if (message === 'stop') {
    void stopAndCreateResponseTimeReport().then((reported) => parentPort?.postMessage(reported));
    return;
  }
  runningRequestRepeaters = {
    probes: message.probes.map((request) => new RequestRepeater(request, healthCheckIntervalMs)),
    bystander: new RequestRepeater(message.bystander, backgroundWriteIntervalMs),
  };
});
