import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { member } from '../http.js';
import { pause } from '../abortable-pause.js';
import type { Random } from '../random.js';

/** A webhook request that the receiver has read completely, before the response is sent. */
export interface Arrival {
  readonly deliveryId: string;
  readonly requestId: string;
  readonly body: string;
  readonly verified: boolean;
  readonly event: string;
  /** Description of the object that the webhook concerns. */
  readonly mark: string;
  readonly objectId: number;
  /** True if the receiver's response was a success. Otherwise the service sends the webhook again. */
  readonly accepted: boolean;
}

/**
 * Behavior of the receiver towards a webhook request: the receiver accepts the request, fails, closes the connection,
 * or does not respond.
 */
type ReceiverBehavior = 'accepts' | 'fails' | 'resets' | 'hangs';

/**
 * A typical webhook receiver, which checks both signatures and stores every delivery. For one in five requests, the
 * receiver responds with an error, closes the connection, or does not respond.
 */
export class Receiver {
  /** Received deliveries by event and description of the object, such as `created ams-1`. */
  readonly byChange = new Map<string, Arrival[]>();
  /** Received webhook deliveries by object id, in the order of arrival. */
  readonly byObject = new Map<number, Arrival[]>();
  count = 0;
  readonly secret = 'open sesame';
  #server: Server | undefined;

  constructor(private readonly random: Random) {}

  get url(): string {
    const address = this.#server?.address() as AddressInfo | null | undefined;
    return `http://127.0.0.1:${address?.port ?? 0}/`;
  }

  async start(): Promise<this> {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.once('end', () => {
        const mood = this.#chooseBehavior();
        this.#record(request.headers, Buffer.concat(chunks), mood === 'accepts');
        if (mood === 'hangs') return;
        void pause(this.random.integer(0, 20)).then(() => {
          if (mood === 'resets') response.destroy();
          else response.writeHead(mood === 'accepts' ? 204 : 500).end();
        });
      });
    });
    this.#server = server;
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return this;
  }

  async stop(): Promise<void> {
    this.#server?.closeAllConnections();
    await new Promise((resolve) => this.#server?.close(resolve));
  }

  #chooseBehavior(): ReceiverBehavior {
    if (this.random.chance(0.8)) return 'accepts';
    return this.random.pick(['fails', 'fails', 'fails', 'resets', 'resets', 'hangs']);
  }

  #record(headers: IncomingHttpHeaders, bytes: Buffer, accepted: boolean): void {
    const body = bytes.toString('utf8');
    const parsed: unknown = JSON.parse(body);
    const event = String(member(parsed, 'event'));
    const data = member(parsed, 'data');
    const mark = String(member(data, 'description'));
    const objectId = Number(member(data, 'id'));
    const deliveryId = String(headers['webhook-id'] ?? '');
    const requestId = String(member(parsed, 'request_id'));
    const verified = this.#verify(headers, bytes);
    const arrival = { deliveryId, requestId, body, verified, event, mark, objectId, accepted };
    appendTo(this.byChange, `${event} ${mark}`, arrival);
    appendTo(this.byObject, objectId, arrival);
    this.count += 1;
  }

  /**
   * Checks both signatures of a webhook: HMAC-SHA512 of the body, and the Standard Webhooks signature of id, time and
   * body (docs/contract/inventory.md 5.4).
   */
  #verify(headers: IncomingHttpHeaders, body: Buffer): boolean {
    const signed = Buffer.concat([Buffer.from(`${headers['webhook-id']}.${headers['webhook-timestamp']}.`), body]);
    const standard = createHmac('sha256', this.secret).update(signed).digest('base64');
    const plain = createHmac('sha512', this.secret).update(body).digest('hex');
    return (
      equalDigests(headers['webhook-signature'], `v1,${standard}`) && equalDigests(headers['x-hook-signature'], plain)
    );
  }
}

function appendTo<K>(arrivals: Map<K, Arrival[]>, key: K, arrival: Arrival): void {
  const known = arrivals.get(key);
  if (known) known.push(arrival);
  else arrivals.set(key, [arrival]);
}

function equalDigests(given: string | string[] | undefined, wanted: string): boolean {
  const [one, other] = [Buffer.from(String(given)), Buffer.from(wanted)];
  return one.length === other.length && timingSafeEqual(one, other);
}
