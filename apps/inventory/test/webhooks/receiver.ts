import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request as it arrived. */
export interface Received {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
  atMs: number;
}

/** How a receiver answers: with a response, never, or by cutting the connection. */
export type Answer = { status: number; headers?: Record<string, string>; body?: string } | 'hang' | 'reset';

/** A real HTTP server that keeps what it receives. */
export class Receiver {
  readonly requests: Received[] = [];
  /** Answers wait for it. */
  hold: Promise<void> = Promise.resolve();
  private server: Server | undefined;
  private port = 0;

  constructor(public answer: (request: Received, count: number) => Answer = () => ({ status: 200 })) {}

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get bodies(): Record<string, unknown>[] {
    return this.requests.map(({ body }) => JSON.parse(body.toString('utf8')));
  }

  /** Listens; after {@link stop} on the same port as before. */
  async start(): Promise<this> {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { method = '', url = '', headers } = request;
        const received = { method, path: url, headers, body: Buffer.concat(chunks), atMs: Date.now() };
        this.requests.push(received);
        const answer = this.answer(received, this.requests.length);
        if (answer === 'reset') response.socket?.destroy();
        else if (answer !== 'hang') {
          void this.hold.then(() => response.writeHead(answer.status, answer.headers).end(answer.body ?? ''));
        }
      });
    });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(this.port, '127.0.0.1', resolve);
    });
    this.port = (server.address() as AddressInfo).port;
    this.server = server;
    return this;
  }

  async stop(): Promise<void> {
    const { server } = this;
    this.server = undefined;
    if (!server) return;
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}
