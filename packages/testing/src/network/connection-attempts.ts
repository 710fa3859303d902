import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';

/** Record of the TCP connections that this process has tried to open. */
export interface TcpConnectionAttemptRecord {
  /** Targets of the connections as `address port`, in order. Omits sockets that never got an address. */
  readonly targets: string[];
  /** Returns the number of client sockets that this process has created, including sockets whose connection failed. */
  count(): number;
  /** Stops the recording of connection attempts. */
  stop(): void;
}

const clientSocketDiagnosticsChannelName = 'net.client.socket';

/**
 * Starts to record the TCP connections that this process tries to open, with the diagnostics channel on which Node
 * reports each new client socket.
 */
export function recordConnectionAttempts(): TcpConnectionAttemptRecord {
  const targets: string[] = [];
  let made = 0;
  const onSocket = (message: unknown): void => {
    made += 1;
    const { socket } = message as { socket: Socket };
    socket.on('connectionAttempt', (address: string, port: number) => targets.push(`${address} ${port}`));
  };
  subscribe(clientSocketDiagnosticsChannelName, onSocket);
  return { targets, count: () => made, stop: () => void unsubscribe(clientSocketDiagnosticsChannelName, onSocket) };
}
