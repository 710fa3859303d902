import { setTimeout as sleep } from 'node:timers/promises';
import { type BenchmarkWebhookReceiver, startWebhookReceiver } from '../../../webhooks/bench-receivers.js';
import type { MeasuredOperation } from '../../measured-operation.js';
import type { MeasuredInventoryService } from '../measured-inventory-service.js';

const deviceChangesPerRequest = 1000;
const siteChangeIntervalMs = 250;
const webhookDeliveryTimeoutMs = 120_000;

/**
 * A started webhook receiver. The service has a webhook to this receiver and an event rule for each change of one
 * model.
 */
interface MeasuredWebhook {
  readonly receiver: BenchmarkWebhookReceiver;
  remove(): Promise<void>;
}

async function addMeasuredWebhook(world: MeasuredInventoryService, model: string): Promise<MeasuredWebhook> {
  const receiver = await startWebhookReceiver();
  const name = `scale ${receiver.url}`;
  const webhook = await world.createObject('extras/webhooks/', { name, payload_url: receiver.url });
  const rule = await world.createObject('extras/event-rules/', {
    name,
    object_types: [model],
    event_types: ['object_updated'],
    action_type: 'webhook',
    action_object_type: 'extras.webhook',
    action_object_id: webhook,
  });
  return {
    receiver,
    remove: async () => {
      await world.sendRequest('DELETE', `extras/event-rules/${rule}/`);
      await world.sendRequest('DELETE', `extras/webhooks/${webhook}/`);
      await receiver.stop();
    },
  };
}

/** Changes the given number of devices, a thousand devices per request. */
async function changeDevicesInBatches(world: MeasuredInventoryService, count: number): Promise<void> {
  const first = world.amounts.fullDevices + 1;
  for (let done = 0; done < count; done += deviceChangesPerRequest) {
    const length = Math.min(deviceChangesPerRequest, count - done);
    const changes = Array.from({ length }, (_, at) => ({ id: first + done + at, description: `hooked ${count}` }));
    await world.sendRequest('PATCH', 'dcim/devices/', changes);
  }
}

/**
 * Changes a site repeatedly until `isOver` returns true. For each change, measures the time from the response to the
 * arrival of the webhook. Returns the longest time in milliseconds.
 */
async function measureSlowestWebhookDelivery(
  world: MeasuredInventoryService,
  { receiver }: MeasuredWebhook,
  isOver: () => boolean,
): Promise<number> {
  let slowestMs = 0;
  for (let n = 0; !isOver(); n += 1) {
    const text = `delivery ${n} of ${receiver.url}`;
    const arrival = receiver.arrival(text);
    await world.sendRequest('PATCH', 'dcim/sites/2/', { description: text });
    const respondedAt = performance.now();
    slowestMs = Math.max(slowestMs, (await arrival) - respondedAt);
    await sleep(siteChangeIntervalMs);
  }
  return slowestMs;
}

/**
 * Returns an operation that measures the slowest webhook for changes of a site. During the measurement, many devices
 * are changed and the webhooks for these changes are sent.
 */
function createWebhookDeliveryOperation(
  name: string,
  countOf: (world: MeasuredInventoryService) => number,
): MeasuredOperation<MeasuredInventoryService> {
  return {
    name,
    runs: 1,
    run: async (world) => {
      const hooks = [
        await addMeasuredWebhook(world, 'dcim.site'),
        await addMeasuredWebhook(world, 'dcim.device'),
      ] as const;
      const [ofSite, ofDevices] = hooks;
      const count = countOf(world);
      let isOver = false;
      try {
        const slowest = measureSlowestWebhookDelivery(world, ofSite, () => isOver);
        try {
          await changeDevicesInBatches(world, count);
          const drainedBy = performance.now() + webhookDeliveryTimeoutMs;
          while (ofDevices.receiver.count() < count && performance.now() < drainedBy) await sleep(siteChangeIntervalMs);
        } finally {
          isOver = true;
        }
        return await slowest;
      } finally {
        for (const hook of hooks) await hook.remove();
      }
    },
  };
}

/** Measured operations that time the webhook of one change while very many other webhooks are sent. */
export const webhookDeliveryOperations: readonly MeasuredOperation<MeasuredInventoryService>[] = [
  createWebhookDeliveryOperation('webhook of a site beside 1,000 changed devices', ({ amounts }) =>
    Math.min(deviceChangesPerRequest, amounts.size.devices / 10),
  ),
  createWebhookDeliveryOperation(
    'webhook of a site beside a tenth of all devices changed',
    ({ amounts }) => amounts.size.devices / 10,
  ),
];
