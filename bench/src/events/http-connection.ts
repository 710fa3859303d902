import { type Socket, connect } from 'node:net';

/**
 * Body of a received response. Also stores the time at which the last byte was read, in milliseconds of
 * `performance.now`.
 */
export interface ReceivedResponse {
  readonly body: string;
  readonly at: number;
}

/**
 * Read buffer shared by all connections. Each connection processes the received bytes before another connection reads.
 */
const sharedReadBuffer = Buffer.alloc(64 * 1024);

const HTTP_HEAD_END = '\r\n\r\n';
const CONTENT_LENGTH_PATTERN = /content-length: (\d+)/i;

/**
 * Keep-alive connection with a minimal HTTP client: one request at a time, and only responses with a Content-Length.
 * The client is minimal because thousands of connections must cost little compared with the measured server.
 */
export class MinimalHttpConnection {
  private partial = '';
  private waiting: { resolve: (response: ReceivedResponse) => void; reject: (error: Error) => void } | null = null;
  private readonly socket: Socket;

  private constructor(
    readonly port: number,
    opened: (error?: Error) => void,
  ) {
    this.socket = connect({
      host: '127.0.0.1',
      port,
      noDelay: true,
      onread: { buffer: sharedReadBuffer, callback: (size) => this.readReceivedBytes(size) },
    });
    this.socket.once('connect', () => opened());
    this.socket.on('error', (error) => {
      opened(error);
      this.rejectWaitingRequest(error);
    });
    this.socket.on('close', () => this.rejectWaitingRequest(new Error(`${this.port} closed the connection`)));
  }

  /**
   * Opens a keep-alive connection to the server at `origin`. @throws Error of the system if the connection cannot be
   *   opened
   */
  static open(origin: string): Promise<MinimalHttpConnection> {
    return new Promise((resolve, reject) => {
      const connection: MinimalHttpConnection = new MinimalHttpConnection(Number(new URL(origin).port), (error) => {
        if (error) reject(error);
        else resolve(connection);
      });
    });
  }

  /**
   * Sends a GET request.
   *
   * @throws Error if the status is not 200, or if the connection ends before the response
   */
  get(path: string): Promise<ReceivedResponse> {
    return this.send(`GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n`);
  }

  /** Sends a POST request with a JSON body. Reads the response and fails like {@link get}. */
  post(path: string, body: object): Promise<ReceivedResponse> {
    const text = JSON.stringify(body);
    const head = `host: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}`;
    return this.send(`POST ${path} HTTP/1.1\r\n${head}${HTTP_HEAD_END}${text}`);
  }

  close(): void {
    this.waiting = null;
    this.socket.destroy();
  }

  private send(request: string): Promise<ReceivedResponse> {
    return new Promise((resolve, reject) => {
      if (this.socket.destroyed) throw new Error(`${this.port} has closed the connection`);
      this.waiting = { resolve, reject };
      this.socket.write(request, 'latin1');
    });
  }

  private readReceivedBytes(size: number): boolean {
    const at = performance.now();
    const text = this.partial + sharedReadBuffer.toString('latin1', 0, size);
    const headEnd = text.indexOf(HTTP_HEAD_END);
    const bodyStart = headEnd + HTTP_HEAD_END.length;
    const length = headEnd < 0 ? undefined : CONTENT_LENGTH_PATTERN.exec(text)?.[1];
    if (length === undefined || text.length < bodyStart + Number(length)) {
      this.partial = text;
      return true;
    }
    this.partial = '';
    const { waiting } = this;
    this.waiting = null;
    if (text.startsWith('HTTP/1.1 200')) waiting?.resolve({ body: text.slice(bodyStart), at });
    else waiting?.reject(new Error(text));
    return true;
  }

  private rejectWaitingRequest(error: Error): void {
    this.waiting?.reject(error);
    this.waiting = null;
  }
}
