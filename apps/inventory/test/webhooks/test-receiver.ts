import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';

/** An HTTP request that a webhook receiver of the test got. */
export interface ReceivedWebhookRequest {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
  atMs: number;
}

/** Behavior of a webhook receiver: a response, no response, closing the connection, or a function that responds. */
export type PlannedResponse =
  | { status: number; headers?: Record<string, string>; body?: string }
  | 'hang'
  | 'reset'
  | ((response: ServerResponse) => void);

/** A real HTTP server that receives webhook requests and records them. */
export class Receiver {
  readonly requests: ReceivedWebhookRequest[] = [];
  /** Promise for which the receiver waits before it sends a response. */
  hold: Promise<void> = Promise.resolve();
  private server: Server | undefined;
  private port = 0;

  /** @param certificate makes the receiver use TLS */
  constructor(
    public response: (request: ReceivedWebhookRequest, count: number) => PlannedResponse = () => ({ status: 200 }),
    private readonly certificate?: { readonly cert: string; readonly key: string },
  ) {}

  get url(): string {
    return this.urlFor('127.0.0.1');
  }

  get bodies(): Record<string, unknown>[] {
    return this.requests.map(({ body }) => JSON.parse(body.toString('utf8')));
  }

  /** Returns the URL of the receiver, with a host name that only the DNS resolver of the test can resolve. */
  urlFor(host: string): string {
    return `${this.certificate ? 'https' : 'http'}://${host}:${this.port}`;
  }

  /** Makes the receiver accept connections. After {@link stop}, the receiver uses the same port as before. */
  async start(): Promise<this> {
    const listener = (request: IncomingMessage, response: ServerResponse): void => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { method = '', url = '', headers } = request;
        const received = { method, path: url, headers, body: Buffer.concat(chunks), atMs: Date.now() };
        this.requests.push(received);
        const planned = this.response(received, this.requests.length);
        if (typeof planned === 'function') planned(response);
        else if (planned === 'reset') response.socket?.destroy();
        else if (planned !== 'hang') {
          void this.hold.then(() => response.writeHead(planned.status, planned.headers).end(planned.body ?? ''));
        }
      });
    };
    const server = this.certificate ? createTlsServer(this.certificate, listener) : createServer(listener);
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
