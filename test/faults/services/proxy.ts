import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { pause } from '../abortable-pause.js';

/** Interval between readiness checks of processes, in milliseconds. */
const checkMs = 200;

/**
 * Returns true if the readiness check of a process responds with status 200. Does not use `fetch`, because `fetch`
 * retains a listener of the signal for each refused connection.
 */
function isReady(port: number, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const check = httpRequest({ host: '127.0.0.1', port, path: '/health/ready', agent: false, signal });
    check.once('response', (response) => {
      response.resume();
      response.once('close', () => resolve(response.statusCode === 200));
    });
    check.once('error', () => resolve(false));
    check.end();
  });
}

/**
 * A load balancer that sends each request to the next ready process. The proxy tries another process only if the first
 * process refused the connection. If a process dies during a request, the proxy closes the client's connection.
 */
export class Proxy {
  /** Number of requests for which no service process was available. The client got status 502. */
  refused = 0;
  /** Number of requests during which a service process closed the connection. */
  cut = 0;
  /** Responses with a 5xx status, except responses with status 503 and the header `Retry-After`. */
  readonly unexpectedErrors: string[] = [];
  #server: Server | undefined;
  #next = 0;
  /**
   * Ports of processes that were not ready at the last check. The proxy uses these processes only if no process is
   * ready.
   */
  readonly #resting = new Set<number>();
  readonly #stopped = new AbortController();

  /** @param ports ports of the processes, all on 127.0.0.1 */
  constructor(private readonly ports: readonly number[]) {}

  get origin(): string {
    const address = this.#server?.address() as AddressInfo | null | undefined;
    return `http://127.0.0.1:${address?.port ?? 0}`;
  }

  async start(): Promise<this> {
    const server = createServer((request, response) => void this.#serve(request, response));
    server.keepAliveTimeout = 120_000;
    this.#server = server;
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    for (const port of this.ports) void this.#check(port);
    return this;
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    this.#server?.closeAllConnections();
    await new Promise((resolve) => this.#server?.close(resolve));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    await new Promise((resolve) => request.once('end', resolve));
    const body = Buffer.concat(chunks);
    for (const port of this.#order()) if (await this.#forward(request, body, response, port)) return;
    this.refused += 1;
    response.writeHead(502).end();
  }

  /**
   * Returns the ports of the processes in the order in which the proxy tries the processes. Ready processes come first,
   * in rotation; other processes come last.
   */
  #order(): number[] {
    const first = (this.#next += 1) % this.ports.length;
    const turn = [...this.ports.slice(first), ...this.ports.slice(0, first)];
    return [...turn.filter((port) => !this.#resting.has(port)), ...turn.filter((port) => this.#resting.has(port))];
  }

  async #check(port: number): Promise<void> {
    const { signal } = this.#stopped;
    while (!signal.aborted) {
      if (await isReady(port, signal)) this.#resting.delete(port);
      else this.#resting.add(port);
      await pause(checkMs, signal);
    }
  }

  /**
   * Forwards a request to a process. Returns false if the process refused the connection, so that the proxy can try
   * another process.
   */
  #forward(request: IncomingMessage, body: Buffer, response: ServerResponse, port: number): Promise<boolean> {
    const { method, url, headers } = request;
    return new Promise((resolve) => {
      const sent = { ...headers, connection: 'close' };
      const upstream = httpRequest({ host: '127.0.0.1', port, method, path: url, headers: sent, agent: false });
      // A client that disconnects cancels its request.
      const gone = (): void => void upstream.destroy();
      response.once('close', gone);
      upstream.once('response', (received) => {
        const { 'transfer-encoding': _, connection: _connection, 'keep-alive': _keepAlive, ...kept } = received.headers;
        const { statusCode = 502 } = received;
        const isTemporary = statusCode === 503 && received.headers['retry-after'] !== undefined;
        if (statusCode >= 500 && !isTemporary) this.unexpectedErrors.push(`${method} ${url}: ${statusCode}`);
        response.writeHead(statusCode, kept);
        received.pipe(response);
        received.once('error', () => this.#cutOff(response));
        resolve(true);
      });
      upstream.once('error', (error) => {
        response.off('close', gone);
        const refused = 'code' in error && error.code === 'ECONNREFUSED';
        if (!refused) this.#cutOff(response);
        resolve(!refused);
      });
      upstream.end(body);
    });
  }

  #cutOff(response: ServerResponse): void {
    // Requests of disconnected clients are not counted.
    if (!response.destroyed) this.cut += 1;
    response.destroy();
  }
}
