import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';

/** Recording of the TCP connections that this process has tried to open. */
export interface ConnectionAttempts {
  /** Targets as `address port`, in order. Sockets that never got an address are omitted. */
  readonly targets: string[];
  /** Number of sockets created to connect, successfully or not. */
  count(): number;
  /** Ends the recording. */
  stop(): void;
}

const channel = 'net.client.socket';

/**
 * Records connection attempts by the diagnostics channel on which Node reports client sockets when they are created.
 */
export function recordConnectionAttempts(): ConnectionAttempts {
  const targets: string[] = [];
  let made = 0;
  const onSocket = (message: unknown): void => {
    made += 1;
    const { socket } = message as { socket: Socket };
    socket.on('connectionAttempt', (address: string, port: number) => targets.push(`${address} ${port}`));
  };
  subscribe(channel, onSocket);
  return { targets, count: () => made, stop: () => void unsubscribe(channel, onSocket) };
}
