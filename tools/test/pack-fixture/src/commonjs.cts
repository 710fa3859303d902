// A CommonJS module: the compiler turns its imports into calls of require().
import { defineJob } from '@switchboard/queue';
import { createTestQueue } from '@switchboard/queue/testing';
import { z } from 'zod';

const sendReceipt = defineJob({ name: 'receipts.send', payload: z.strictObject({ orderId: z.int() }) });

/** Runs one job in memory, and returns the orders whose receipts were sent. */
async function sendReceipts(): Promise<number[]> {
  const sent: number[] = [];
  const queue = createTestQueue({ definitions: [sendReceipt] });
  queue.jobs.handle(sendReceipt, ({ orderId }) => Promise.resolve(void sent.push(orderId)));
  await queue.jobs.add(sendReceipt, { orderId: 7 });
  await queue.runOnce();
  return sent;
}

// The test passes the names of packages, and reads this line.
const exportCounts = process.argv.slice(2).map((name) => Object.keys(require(name) as object).length);
void sendReceipts().then((sent) => process.stdout.write(`${JSON.stringify({ exportCounts, sent })}\n`));
