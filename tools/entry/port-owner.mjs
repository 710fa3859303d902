// @ts-check
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { readCommandLine } from '../../packages/local-services/node-only/process-identity.mjs';

/**
 * Checks that a process can listen on a port.
 * @param {string} host
 * @param {number} port
 * @returns {Promise<NodeJS.ErrnoException | null>} error of an attempt to listen on the port, or null if a process can
 *   listen
 */
export function findPortListeningError(host, port) {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error) => resolve(error));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(null)));
  });
}

/**
 * Returns the inodes of the sockets that listen on a port. In `/proc/net/tcp` (proc(5)), field 2 is the local address,
 * field 4 the state (0A is LISTEN), and field 10 the inode.
 * @param {number} port
 */
function readInodesOfListeningSockets(port) {
  const wanted = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const inodes = new Set();
  for (const table of ['/proc/net/tcp', '/proc/net/tcp6']) {
    try {
      for (const line of readFileSync(table, 'utf8').split('\n').slice(1)) {
        const fields = line.trim().split(/\s+/);
        if (fields[1]?.endsWith(wanted) && fields[3] === '0A') inodes.add(`socket:[${fields[9]}]`);
      }
    } catch {
      // A kernel without IPv6 has no such table.
    }
  }
  return inodes;
}

/**
 * Returns true if a process has opened one of the given sockets.
 * @param {string} pid
 * @param {Set<string>} sockets
 */
function hasProcessOpenedSocket(pid, sockets) {
  try {
    return readdirSync(`/proc/${pid}/fd`).some((fd) => {
      try {
        return sockets.has(readlinkSync(`/proc/${pid}/fd/${fd}`));
      } catch {
        return false;
      }
    });
  } catch {
    return false;
  }
}

/**
 * Returns the id of the process that listens on a port, according to the files in /proc, or null if none is found.
 * @param {number} port
 */
function findPortOwnerInProc(port) {
  const sockets = readInodesOfListeningSockets(port);
  if (sockets.size === 0) return null;
  const pid = readdirSync('/proc').find((name) => /^\d+$/.test(name) && hasProcessOpenedSocket(name, sockets));
  return pid === undefined ? null : Number(pid);
}

/**
 * Returns the id of the process that listens on a port, according to the program `lsof`, or null if none is found.
 * @param {number} port
 */
function findPortOwnerByLsof(port) {
  try {
    const output = execFileSync('lsof', ['-nP', '-t', `-iTCP:${port}`, '-sTCP:LISTEN'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return Number(output.trim().split('\n')[0]) || null;
  } catch {
    return null;
  }
}

/**
 * Returns the process that listens on a TCP port, or null if the process is unknown. Ordinary users cannot see
 * processes of other users.
 * @param {number} port
 * @returns {{ pid: number, command: string } | null}
 */
export function findPortOwner(port) {
  const pid = process.platform === 'linux' ? findPortOwnerInProc(port) : findPortOwnerByLsof(port);
  return pid === null ? null : { pid, command: readCommandLine(pid) ?? 'unknown program' };
}
