import { once } from 'node:events';
import { type ClientRequest, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import type { QueueEvent } from './event-queue-requests.js';

/** A message of a stream of server-sent events. */
export interface StreamMessage {
  /** Name of the server-sent event message; undefined for messages with an event of the queue. */
  readonly event?: string;
  /** Id of the queue's event in the message, as text; undefined for an error message. */
  readonly id?: string;
  readonly data: unknown;
}

/** Client of `GET /events/stream` that stores the received messages. */
export class EventStream {
  /** Received messages of the stream that contain data, in the order of arrival. */
  readonly messages: StreamMessage[] = [];
  /** Response body if the server rejected the request for the stream. */
  text = '';
  isEnded = false;
  #rest = '';

  private constructor(
    private readonly sent: ClientRequest,
    private readonly response: IncomingMessage,
  ) {
    response.setEncoding('utf8');
    response.on('close', () => (this.isEnded = true)).on('error', () => {});
  }

  /**
   * Sends the request for the event stream and waits for the response status.
   *
   * @param options `reads`: false for a client that never reads the body
   */
  static async open(
    url: string,
    headers: Record<string, string>,
    { method = 'GET', reads = true }: { method?: string; reads?: boolean } = {},
  ): Promise<EventStream> {
    const sent = request(url, { method, headers, agent: false });
    sent.on('error', () => {});
    sent.end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    const stream = new EventStream(sent, response);
    if (reads) stream.#read();
    return stream;
  }

  get status(): number | undefined {
    return this.response.statusCode;
  }

  get headers(): IncomingHttpHeaders {
    return this.response.headers;
  }

  /** Received events of the event queue, without error messages. */
  get events(): QueueEvent[] {
    return this.messages.filter(({ event }) => event === undefined).map(({ data }) => data as QueueEvent);
  }

  close(): void {
    this.sent.destroy();
  }

  #read(): void {
    this.response.on('data', (text: string) => {
      this.text += text;
      const parts = (this.#rest + text).split('\n\n');
      this.#rest = parts.pop() ?? '';
      for (const part of parts) this.#add(part);
    });
  }

  #add(part: string): void {
    const fields = Object.fromEntries(part.split('\n').map((line) => line.split(/: (.*)/s)));
    if (fields['data'] === undefined) return;
    const { id, event, data } = fields;
    this.messages.push({
      ...(event !== undefined && { event }),
      ...(id !== undefined && { id }),
      data: JSON.parse(data),
    });
  }
}
