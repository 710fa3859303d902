import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { DemoUser } from './chat-server.js';

/** A webhook request that a {@link WebhookReceiver} received. */
export interface ReceivedWebhook {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** Type of the event in the body of the webhook request. */
  readonly type: string;
  /** The event in the webhook request, in the format in which clients receive events. */
  readonly event: Record<string, unknown>;
}

/** An HTTP server that records the requests of webhooks. */
export class WebhookReceiver {
  readonly received: ReceivedWebhook[] = [];
  /** Callback that receives each webhook request and returns the HTTP status of the response. */
  respond: (hook: ReceivedWebhook) => number | Promise<number> = () => 204;
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => void chunks.push(chunk));
      request.on('end', () => {
        const body = Buffer.concat(chunks).toString('utf8');
        const { type, data } = JSON.parse(body) as { type: string; data: Record<string, unknown> };
        const hook = { path: request.url ?? '', headers: request.headers, body, type, event: data };
        this.received.push(hook);
        void Promise.resolve(this.respond(hook)).then((status) => response.writeHead(status).end('read'));
      });
    });
  }

  static async start(): Promise<WebhookReceiver> {
    const receiver = new WebhookReceiver();
    receiver.#server.listen(0, '127.0.0.1');
    await once(receiver.#server, 'listening');
    return receiver;
  }

  /** Returns the URL of a path at the webhook receiver. Each test uses a different path. */
  url(path: string): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}${path}`;
  }

  /** Returns the recorded webhook requests to a path, in the order of arrival. */
  at(path: string): ReceivedWebhook[] {
    return this.received.filter((hook) => hook.path === path);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

/** An event webhook in the format of API responses. */
export interface WireWebhook {
  readonly id: string;
  readonly url: string;
  readonly event_types: string[];
  readonly enabled: boolean;
  readonly user_id: number;
  readonly [name: string]: unknown;
}

/** Path of the endpoints for event webhooks. */
export const eventWebhooksPath = '/api/v1/realm/event_webhooks';

/** Creates an event webhook. Returns the webhook together with the webhook's secret. */
export async function createWebhook(
  user: DemoUser,
  url: string,
  eventTypes: readonly string[],
  form: Record<string, string> = {},
): Promise<WireWebhook & { readonly secret: string }> {
  const { body } = await user.client.post<{ event_webhook: WireWebhook; secret: string; msg: string }>(
    eventWebhooksPath,
    {
      form: { url, event_types: JSON.stringify(eventTypes), ...form },
    },
  );
  if (body.msg !== '') throw new Error(body.msg);
  return { ...body.event_webhook, secret: body.secret };
}
