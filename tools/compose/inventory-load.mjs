// @ts-check
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { runDockerCommand } from './container-engine.mjs';
import { createContainerHttpClient } from './http-client.mjs';

const testWebhookSecret = 'the secret of the deployment test';

/**
 * Source code of the webhook receiver, which runs in a container of the project's network. The receiver prints each
 * request as a line of JSON and responds with status 200.
 */
const webhookReceiverProgram = `
  require('node:http').createServer((request, response) => {
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString('base64');
      process.stdout.write(JSON.stringify({ headers: request.headers, body }) + '\\n');
      response.end('received');
    });
  }).listen(9000, '0.0.0.0');
  process.on('SIGTERM', () => process.exit(0));`;

/**
 * Client of an inventory user who creates sites while containers restart, with a receiver of the sites' webhooks. The
 * client checks that no site and no webhook is lost.
 */
export class InventoryLoadClient {
  /** @type {Set<string>} slugs of the sites that the service has acknowledged */
  created = new Set();
  failed = 0;
  #number = 0;
  #stop = new AbortController();
  /** @type {Promise<unknown>} */
  #running = Promise.resolve();

  /** @param {{ address: string, port: number, token: string, project: string }} parts */
  constructor({ address, port, token, project }) {
    this.receiver = `${project}-receiver`;
    this.network = `${project}_default`;
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    this.call = createContainerHttpClient({ address, port, host: 'inventory.example.com', headers });
  }

  /** Starts the webhook receiver, and creates a webhook whose URL leads to the receiver. */
  async startWebhookReceiver() {
    const run = ['run', '-d', '--name', this.receiver, '--network', this.network];
    await runDockerCommand([...run, 'switchboard-inventory', 'node', '-e', webhookReceiverProgram]);
    const webhook = await this.call('POST', '/api/extras/webhooks/', {
      name: 'deployment',
      payload_url: `http://${this.receiver}:9000/in`,
      secret: testWebhookSecret,
    });
    assert.equal(webhook.status, 201, webhook.text);
    const rule = await this.call('POST', '/api/extras/event-rules/', {
      name: 'deployment',
      object_types: ['dcim.site'],
      event_types: ['object_created'],
      action_type: 'webhook',
      action_object_type: 'extras.webhook',
      action_object_id: webhook.body.id,
    });
    assert.equal(rule.status, 201, rule.text);
  }

  /** Creates one site. Returns the slug of the site, or null if the server did not acknowledge the site. */
  async createSite() {
    const slug = `site-${(this.#number += 1)}`;
    const { status } = await this.call('POST', '/api/dcim/sites/', { name: slug, slug });
    if (status !== 201) {
      this.failed += 1;
      return null;
    }
    this.created.add(slug);
    return slug;
  }

  /** Creates sites until {@link stopAndWaitForWebhooks} is called. */
  createSitesUntilEnd() {
    const adding = async () => {
      while (!this.#stop.signal.aborted) {
        await this.createSite();
        await delay(100);
      }
    };
    this.#running = adding();
  }

  /** Stops creating sites, and waits until a signed webhook has arrived for every acknowledged site. */
  async stopAndWaitForWebhooks() {
    this.#stop.abort();
    await this.#running;
    await this.checkSitesInDatabase();
    await this.waitForWebhooksOfSites([...this.created]);
  }

  /**
   * Waits until a webhook has arrived for every site with one of the slugs.
   * @param {string[]} slugs
   */
  async waitForWebhooksOfSites(slugs, timeoutMs = 120_000) {
    const deadline = Date.now() + timeoutMs;
    for (;;) {
      const arrived = new Set(await this.#listArrivals());
      const missing = slugs.filter((slug) => !arrived.has(slug));
      if (missing.length === 0) return;
      assert.ok(Date.now() < deadline, `no webhook of ${missing.join(', ')}`);
      await delay(500);
    }
  }

  /** Returns the slugs of the sites whose webhook has arrived. Checks the signatures of the arrived webhooks. */
  async #listArrivals() {
    const lines = (await runDockerCommand(['logs', this.receiver])).trim().split('\n').filter(Boolean);
    return lines.map((line) => {
      const { headers, body: encoded } = JSON.parse(line);
      const body = Buffer.from(encoded, 'base64');
      const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.`;
      const wanted = `v1,${createHmac('sha256', testWebhookSecret).update(signed).update(body).digest('base64')}`;
      assert.ok(headers['webhook-signature'].split(' ').includes(wanted), 'a webhook with a wrong signature');
      assert.equal(headers['x-hook-signature'], createHmac('sha512', testWebhookSecret).update(body).digest('hex'));
      return JSON.parse(body.toString()).data.slug;
    });
  }

  /** Checks that every acknowledged site is in the database of the inventory. */
  async checkSitesInDatabase() {
    const stored = new Set();
    for (let offset = 0, more = true; more; offset += 1000) {
      const { status, text, body } = await this.call('GET', `/api/dcim/sites/?limit=1000&offset=${offset}&brief=true`);
      assert.equal(status, 200, text);
      for (const site of body.results) stored.add(site.slug);
      more = body.next !== null;
    }
    for (const slug of this.created) assert.ok(stored.has(slug), `${slug} was acknowledged and is not there`);
  }

  /** Removes the container of the webhook receiver. */
  async removeWebhookReceiver() {
    await runDockerCommand(['rm', '-f', this.receiver]);
  }
}
