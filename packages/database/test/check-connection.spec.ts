import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { convertErrorToDatabaseFault } from '@switchboard/errors';
import { describe, expect, it } from 'vitest';
import { checkDatabaseConnection, UnsupportedPoolerError, requirePreparedStatementSupport } from '../src/index.js';
import { failureOf, scratchUrl } from './temporary-database.js';
import { startSwappingPooler } from './swapping-pooler.js';

const server = process.env['TEST_POSTGRES_URL'] ?? '';

describe('checkDatabaseConnection', () => {
  it('resolves even if the server has no database of this name', async () => {
    await checkDatabaseConnection(scratchUrl());
  });

  it('throws when no server listens', async () => {
    expect(await failureOf(checkDatabaseConnection('postgres://nobody@127.0.0.1:1/none'))).toMatchObject({
      code: 'ECONNREFUSED',
    });
  });

  it('throws an unavailable error when the server accepts the connection and sends nothing', async () => {
    const sockets: Socket[] = [];
    const silent = createServer((socket) => sockets.push(socket)).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const error = await failureOf(checkDatabaseConnection(`postgres://nobody@127.0.0.1:${port}/none`, 200));
    expect(convertErrorToDatabaseFault(error)).toMatchObject({ kind: 'unavailable' });
    for (const socket of sockets) socket.destroy();
    silent.close();
  });
});

describe('requirePreparedStatementSupport', () => {
  it('resolves for a direct connection', async () => {
    await requirePreparedStatementSupport(server);
  });

  it('throws UnsupportedPoolerError for a transaction-mode pooler', async () => {
    const pooler = await startSwappingPooler(server);
    expect(await failureOf(requirePreparedStatementSupport(pooler.url))).toBeInstanceOf(UnsupportedPoolerError);
    pooler.close();
  });
});
