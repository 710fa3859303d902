import { Controller, Injectable, Module, Scope } from '@nestjs/common';
import { defineJob } from '@switchboard/queue';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { OnJob, OnOutboxMessage, QueueModule } from '../src/index.js';
import { closeApplications, orderPlaced, QueueServers, sendReceipt, startApplication } from './queue-test-service.js';

let servers: QueueServers;

beforeAll(async () => {
  servers = await QueueServers.open();
});

afterEach(closeApplications);

afterAll(() => servers.close());

const queue = () => QueueModule.forRoot({ ...servers.connections, jobs: { definitions: [sendReceipt] } });

@Injectable()
class Receipts {
  @OnJob(sendReceipt)
  async send(): Promise<void> {}
}

describe('registration of handlers', () => {
  it('refuses two handlers of the same job, and names both methods', async () => {
    @Injectable()
    class OtherReceipts {
      @OnJob(sendReceipt)
      async sendAgain(): Promise<void> {}
    }
    await expect(startApplication([queue()], [Receipts, OtherReceipts])).rejects.toThrow(
      /^Job receipts\.send has two handlers: Receipts\.send of module \w+ and OtherReceipts\.sendAgain of module \w+$/,
    );
  });

  it('refuses a handler whose class is a provider of two modules', async () => {
    @Module({ providers: [Receipts] })
    class FirstModule {}
    @Module({ providers: [Receipts] })
    class SecondModule {}
    await expect(startApplication([queue(), FirstModule, SecondModule])).rejects.toThrow(
      'Receipts.send of module FirstModule and Receipts.send of module SecondModule',
    );
  });

  it('refuses two handlers of the same outbox message type', async () => {
    @Injectable()
    class Mails {
      @OnOutboxMessage(orderPlaced)
      async first(): Promise<void> {}

      @OnOutboxMessage(orderPlaced)
      async second(): Promise<void> {}
    }
    await expect(startApplication([queue()], [Receipts, Mails])).rejects.toThrow(
      /^Outbox message orders\.placed has two handlers: Mails\.first .* and Mails\.second /,
    );
  });

  it.each([Scope.REQUEST, Scope.TRANSIENT])('refuses a handler of a provider with scope %i', async (scope) => {
    @Injectable({ scope })
    class ScopedReceipts {
      @OnJob(sendReceipt)
      async send(): Promise<void> {}
    }
    await expect(startApplication([queue()], [ScopedReceipts])).rejects.toThrow(
      /^ScopedReceipts\.send of module \w+ handles Job receipts\.send, but its provider has no instance outside a request/,
    );
  });

  it('refuses a handler of a provider that injects a request-scoped provider', async () => {
    @Injectable({ scope: Scope.REQUEST })
    class CurrentCustomer {}
    @Injectable()
    class CustomerReceipts {
      constructor(readonly customer: CurrentCustomer) {}

      @OnJob(sendReceipt)
      async send(): Promise<void> {}
    }
    await expect(startApplication([queue()], [CurrentCustomer, CustomerReceipts])).rejects.toThrow(
      'CustomerReceipts.send',
    );
  });

  it('refuses a handler of a job that the module does not define', async () => {
    const other = defineJob({ name: 'other', payload: z.strictObject({}) });
    @Injectable()
    class OtherWork {
      @OnJob(other)
      async run(): Promise<void> {}
    }
    const message =
      /^Job other has the handler OtherWork\.run of module \w+, but the option jobs of QueueModule does not/;
    await expect(startApplication([queue()], [Receipts, OtherWork])).rejects.toThrow(message);
    const withoutJobs = QueueModule.forRoot(servers.connections);
    await expect(startApplication([withoutJobs], [OtherWork])).rejects.toThrow(message);
  });

  it('registers methods of controllers, and a method for several jobs', async () => {
    const other = defineJob({ name: 'other', payload: z.strictObject({ orderId: z.int() }) });
    @Controller()
    class ReceiptsController {
      @OnJob(other)
      @OnJob(sendReceipt)
      async send(): Promise<void> {}
    }
    @Module({ controllers: [ReceiptsController] })
    class ReceiptsModule {}
    const jobs = { definitions: [sendReceipt, other] };
    // The start of a worker fails unless each job has a handler.
    await startApplication([QueueModule.forRoot({ ...servers.connections, jobs }), ReceiptsModule]);
  });
});
