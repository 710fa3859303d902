import { waitFor } from '@switchboard/testing';
import { openWebhookDelivery } from '../../src/webhooks/index.js';
import { Receiver } from '../webhooks/test-receiver.js';
import { startInventory, type TestInventory } from './test-service.js';

/** A background task in the form that the API shows. */
export interface Task {
  readonly id: string;
  readonly status: string;
  readonly position: number | null;
  readonly worker_name: string | null;
  readonly kwargs: Record<string, string>;
  readonly meta: { readonly attempts: number; readonly error: string | null };
  readonly [key: string]: unknown;
}

/**
 * A running service that sends changes of sites to a webhook receiver. The service retries a failed delivery once,
 * after an hour.
 */
export class SendingInventory {
  private sites = 0;

  private constructor(
    readonly test: TestInventory,
    readonly receiver: Receiver,
    /** Log lines that the tested service has written. */
    readonly log: readonly string[],
    readonly stop: () => Promise<void>,
  ) {}

  static async start(): Promise<SendingInventory> {
    const receiver = await new Receiver().start();
    const log: string[] = [];
    const env = { WEBHOOK_ALLOW_LOOPBACK: 'true', WEBHOOK_RETRIES: '1', WEBHOOK_RETRY_INITIAL_MS: '3600000' };
    const test = await startInventory(env, log);
    const webhooks = openWebhookDelivery(test.inventory);
    const hook = await test.api.post<{ id: number }>('/api/extras/webhooks/', {
      json: { name: 'hook', payload_url: receiver.url },
    });
    await test.api.post('/api/extras/event-rules/', {
      json: {
        name: 'sites',
        object_types: ['dcim.site'],
        event_types: ['object_created', 'object_updated'],
        action_type: 'webhook',
        action_object_type: 'extras.webhook',
        action_object_id: hook.body.id,
      },
    });
    await test.inventory.outbox.start('all');
    webhooks.start('all');
    return new SendingInventory(test, receiver, log, async () => {
      await test.inventory.outbox.stop();
      await receiver.stop();
      await webhooks.stop();
      await test.close();
    });
  }

  /** Creates a site and returns its id. */
  async addSite(client = this.test.api): Promise<number> {
    this.sites += 1;
    const json = { name: `Site ${this.sites}`, slug: `site-${this.sites}` };
    return (await client.post<{ id: number }>('/api/dcim/sites/', { json })).body.id;
  }

  /**
   * Waits until the background tasks of a site have the given states. The states are in the order in which the tasks
   * were created. Returns the tasks.
   */
  tasksOf(site: number, ...statuses: string[]): Promise<Task[]> {
    const read = async (): Promise<Task[] | null> => {
      const query = { status: ['queued', 'started', 'deferred', 'scheduled', 'failed', 'finished', 'stopped'] };
      const { body } = await this.test.api.get<{ results: Task[] }>('/api/core/background-tasks/', { query });
      const tasks = body.results.filter(({ kwargs }) => kwargs['object_id'] === String(site));
      return tasks.map(({ status }) => status).join() === statuses.join() ? tasks : null;
    };
    return waitFor(read, { what: `tasks that are ${statuses.join(', ')}` });
  }

  /** Creates a webhook delivery that has failed permanently, and returns its background task. */
  async addFailed(): Promise<Task> {
    this.receiver.response = () => ({ status: 500, body: 'no' });
    const site = await this.addSite();
    const [task] = await this.tasksOf(site, 'scheduled');
    await this.test.api.post(`/api/core/background-tasks/${task?.id}/enqueue/`);
    const [failed] = await this.tasksOf(site, 'failed');
    this.receiver.response = () => ({ status: 200 });
    return failed!;
  }
}
