import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';

/** Recorder of TCP connections that this process tries to open. */
export interface ConnectionAttempts {
  /** Targets as `address port`, in order, without sockets that were never given an address. */
  readonly targets: string[];
  /** Number of sockets created to connect, successfully or not. */
  count(): number;
  /** Ends the recording. */
  stop(): void;
}

const channel = 'net.client.socket';

/** Records connection attempts by Node's diagnostics channel, which reports client sockets when they are created. */
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
