import { connect, type Socket } from 'node:net';

/**
 * Read buffer shared by all connections. Each connection processes the received bytes before another connection reads.
 */
const sharedSocketReadBuffer = Buffer.alloc(64 * 1024);

/**
 * Connection that sends GET requests and stores the received text since the last reset. The client is minimal because
 * thousands of connections must cost little compared with the measured server.
 */
export class RawHttpClient {
  /** Text that the connection has received since the last {@link RawHttpClient.discardReceivedText}. */
  text = '';
  #expected = '';
  #arrival: { resolve(at: number): void; reject(error: Error): void } | null = null;

  private constructor(
    private readonly socket: Socket,
    private readonly head: string,
  ) {}

  /** @param head request headers, each ending with CRLF */
  static openConnection(origin: string, head: string): Promise<RawHttpClient> {
    const { port } = new URL(origin);
    return new Promise((resolve, reject) => {
      const socket = connect({
        host: '127.0.0.1',
        port: Number(port),
        noDelay: true,
        onread: {
          buffer: sharedSocketReadBuffer,
          callback: (size) => {
            client.#read(sharedSocketReadBuffer.toString('latin1', 0, size));
            return true;
          },
        },
      });
      const client = new RawHttpClient(socket, head);
      socket.once('connect', () => resolve(client));
      socket.once('error', reject);
      socket.on('error', () => {});
    });
  }

  sendGetRequest(path: string): void {
    this.socket.write(`GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n${this.head}\r\n`, 'latin1');
  }

  /**
   * Resolves with the time at which the received text first contains `expected`, in milliseconds.
   *
   * @throws Error if the status is not 200
   */
  waitForText(expected: string): Promise<number> {
    this.#expected = expected;
    return new Promise((resolve, reject) => {
      if (this.text.includes(expected)) resolve(performance.now());
      else this.#arrival = { resolve, reject };
    });
  }

  discardReceivedText(): void {
    this.text = '';
  }

  close(): void {
    this.socket.destroy();
  }

  #read(text: string): void {
    const at = performance.now();
    this.text += text;
    const arrival = this.#arrival;
    if (arrival === null) return;
    const isRefused = this.text.startsWith('HTTP/1.1') && !this.text.startsWith('HTTP/1.1 200');
    if (!isRefused && !this.text.includes(this.#expected)) return;
    this.#arrival = null;
    if (isRefused) arrival.reject(new Error(this.text));
    else arrival.resolve(at);
  }
}
