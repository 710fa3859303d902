import { createServer } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';

/** A request to the test proxy to open a tunnel. */
export interface RequestedProxyTunnel {
  /** Host and port to which the tunnel must lead, as `host:port`. */
  readonly target: string;
  /** Value of the request's header `Proxy-Authorization`; `''` if the header is absent. */
  readonly authorization: string;
}

/** A forward HTTP proxy for one test. */
export interface TestProxy {
  /** Host and port of the proxy itself, as `host:port`. */
  readonly host: string;
  readonly tunnels: RequestedProxyTunnel[];
  /** Status of the proxy's responses to CONNECT. With a status other than 200, no tunnel is opened. */
  status: number;
  close(): Promise<void>;
}

/**
 * Starts a proxy on a loopback address. The proxy opens tunnels (CONNECT) for any host name, but connects every tunnel
 * to a loopback port.
 */
export async function startTestProxy(): Promise<TestProxy> {
  const tunnels: RequestedProxyTunnel[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((_req, res) => res.writeHead(405).end());
  server.on('connection', (socket: Socket) => sockets.add(socket));
  server.on('connect', (req, socket) => {
    const target = req.url ?? '';
    tunnels.push({ target, authorization: req.headers['proxy-authorization'] ?? '' });
    if (proxy.status !== 200) return void socket.end(`HTTP/1.1 ${proxy.status} No\r\n\r\n`);
    const upstream = connect({ host: '127.0.0.1', port: Number(target.split(':').at(-1)) }, () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      upstream.pipe(socket).pipe(upstream);
    });
    sockets.add(upstream);
    upstream.on('error', () => socket.destroy());
    socket.on('error', () => upstream.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const proxy: TestProxy = {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    tunnels,
    status: 200,
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
  return proxy;
}
