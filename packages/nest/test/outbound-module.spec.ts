import { Module } from '@nestjs/common';
import { AddressRefusedError, OutboundClient, publicAddressesOnly } from '@switchboard/outbound';
import { waitFor } from '@switchboard/testing';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { InjectOutbound, OutboundModule } from '../src/index.js';
import { closeApplications, startApplication } from './queue-test-service.js';

afterEach(closeApplications);

class Senders {
  constructor(
    @InjectOutbound() readonly anywhere: OutboundClient,
    @InjectOutbound('internal') readonly internal: OutboundClient,
  ) {}
}

describe('OutboundModule', () => {
  it('provides clients with different policies by name, and closes these clients with the application', async () => {
    const server = createServer((_request, response) => response.end('hello')).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    @Module({
      providers: [{ provide: 'policy', useValue: { ...publicAddressesOnly, allowLoopback: true } }],
      exports: ['policy'],
    })
    class PolicyModule {}
    const internal = OutboundModule.forRootAsync({
      name: 'internal',
      imports: [PolicyModule],
      inject: ['policy'],
      useFactory: (policy: typeof publicAddressesOnly) => ({ policy, keepAliveMs: 3_600_000 }),
    });
    const application = await startApplication(
      [OutboundModule.forRoot({ policy: publicAddressesOnly }), internal],
      [Senders],
    );
    const senders = application.get(Senders);
    await expect(senders.anywhere.request({ url })).rejects.toThrow(AddressRefusedError);
    expect((await senders.internal.request({ url })).body.toString()).toBe('hello');
    await application.close();
    const countConnections = promisify(server.getConnections.bind(server));
    await waitFor(async () => (await countConnections()) === 0, { what: 'the end of the idle connection' });
    server.close();
  });
});
