import { connect, createServer, type Server, type Socket } from 'node:net';

/**
 * TCP proxy in front of a database server. The proxy can stop forwarding, so that the server seems paused or
 * unreachable.
 */
export class PausingProxy {
  readonly #sockets = new Set<Socket>();
  readonly #pausedSockets = new WeakSet<Socket>();
  #isPaused = false;
  #pausingText: string | undefined;

  private constructor(
    private readonly server: Server,
    /** URL of the database through the proxy. */
    readonly url: string,
  ) {}

  /** Starts a proxy in front of the database server in the URL `target`. */
  static async start(target: string): Promise<PausingProxy> {
    const { hostname, port } = new URL(target);
    const server = createServer((client) => proxy.#forward(client, connect(Number(port), hostname)));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const url = new URL(target);
    url.hostname = '127.0.0.1';
    url.port = String(typeof address === 'object' && address !== null ? address.port : 0);
    const proxy = new PausingProxy(server, url.href);
    return proxy;
  }

  /** Number of open client connections to the proxy. */
  get openCount(): number {
    return this.#sockets.size;
  }

  /** Stops forwarding. Open connections remain open, and the proxy accepts new connections. */
  pause(): void {
    this.#isPaused = true;
  }

  /**
   * Stops forwarding only for the connections that are open now, as if their server were lost. New connections lead to
   * another server.
   */
  pauseOpenConnections(): void {
    for (const socket of this.#sockets) this.#pausedSockets.add(socket);
  }

  /**
   * Stops forwarding as soon as a client sends a message with `text`, and does not forward that message to the server.
   */
  pauseAt(text: string): void {
    this.#pausingText = text;
  }

  /** Forwards all data again that clients and the server send from now on. */
  resume(): void {
    this.#isPaused = false;
    this.#pausingText = undefined;
  }

  /** Closes all connections and stops the proxy. */
  close(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.server.close();
  }

  #isPausedFor(client: Socket): boolean {
    return this.#isPaused || this.#pausedSockets.has(client);
  }

  #forward(client: Socket, server: Socket): void {
    this.#sockets.add(client);
    client.on('data', (bytes) => {
      if (this.#pausingText !== undefined && bytes.includes(this.#pausingText)) this.#isPaused = true;
      if (!this.#isPausedFor(client)) server.write(bytes);
    });
    server.on('data', (bytes) => {
      if (!this.#isPausedFor(client)) client.write(bytes);
    });
    for (const socket of [client, server]) socket.on('error', () => {});
    client.on('close', () => {
      this.#sockets.delete(client);
      server.destroy();
    });
    server.on('close', () => client.destroy());
  }
}
