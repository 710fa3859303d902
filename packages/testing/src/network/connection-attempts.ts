import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';

/** Record of the TCP connections that this process has tried to open. */
export interface ConnectionAttempts {
  /** Targets of the connections as `address port`, in order. Sockets that never got an address are omitted. */
  readonly targets: string[];
  /** Returns the number of sockets created to connect, successfully or not. */
  count(): number;
  /** Stops the recording. */
  stop(): void;
}

const clientSocketChannel = 'net.client.socket';

/**
 * Starts to record the TCP connections that this process tries to open, by the diagnostics channel on which Node
 * reports client sockets when they are created.
 */
export function recordConnectionAttempts(): ConnectionAttempts {
  const targets: string[] = [];
  let made = 0;
  const onSocket = (message: unknown): void => {
    made += 1;
    const { socket } = message as { socket: Socket };
    socket.on('connectionAttempt', (address: string, port: number) => targets.push(`${address} ${port}`));
  };
  subscribe(clientSocketChannel, onSocket);
  return { targets, count: () => made, stop: () => void unsubscribe(clientSocketChannel, onSocket) };
}
