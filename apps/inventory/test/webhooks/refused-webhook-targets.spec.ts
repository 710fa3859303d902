import {
  recordConnectionAttempts,
  refusedHostNames,
  refusedUrls,
  startDnsServer,
  getTestServerAddresses,
  type TestDnsServer,
} from '@switchboard/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { webhookEnvironmentVariables, createWebhookSettings, type WebhookSettings } from '../../src/webhooks/index.js';
import { Receiver } from './test-receiver.js';
import { quickSettings, WebhookTestEnvironment, siteChange } from './webhook-test-service.js';

let rig: WebhookTestEnvironment;
let dns: TestDnsServer;
/** A server on a loopback address, to which most rejected URLs point. */
let target: Receiver;

beforeAll(async () => {
  rig = await WebhookTestEnvironment.create();
  const turns = [['127.0.0.1'], ['127.0.0.2']];
  dns = await startDnsServer({ ...refusedHostNames, 'open.test': ['127.0.0.1'], 'changes.test': { turns } });
  target = await new Receiver().start();
});
afterEach(async () => {
  await rig.reset();
  target.requests.length = 0;
  target.response = () => ({ status: 200 });
});
afterAll(async () => {
  await target.stop();
  await dns.close();
  await rig.close();
});

/** Returns the settings of production with the DNS resolver of the test. */
function settingsWith(variables: Record<string, string>): WebhookSettings {
  const { outbound } = createWebhookSettings({
    ...webhookEnvironmentVariables.parse(variables),
    NODE_ENV: 'production',
  });
  return quickSettings({ outbound: { ...outbound, resolver: dns.resolve } });
}

const { port: redisPort } = new URL(getTestServerAddresses().redisUrl);
const { port: postgresPort } = new URL(getTestServerAddresses().postgresUrl);

/**
 * Returns the addresses to which this process tried to connect during `run`. Omits the addresses of PostgreSQL and
 * Redis.
 */
async function connectionsOf(run: () => Promise<unknown>): Promise<string[]> {
  const attempts = recordConnectionAttempts();
  await run().finally(attempts.stop);
  return attempts.targets.filter((to) => !to.endsWith(` ${redisPort}`) && !to.endsWith(` ${postgresPort}`));
}

describe('webhook delivery to a forbidden address', () => {
  it('fails permanently without a connection, for every form of the address', async () => {
    const { port } = new URL(target.url);
    for (const { url } of refusedUrls) await rig.addWebhook(url.replaceAll('{port}', port));
    const connections = await connectionsOf(async () => {
      rig.process({ settings: settingsWith({}) });
      await rig.commit(siteChange());
      await rig.settled(refusedUrls.length);
    });
    const rows = await rig.deliveries();
    expect(connections).toEqual([]);
    expect(rows.filter(({ status, attempts }) => status !== 'failed' || attempts !== 1)).toEqual([]);
    expect(rows.filter(({ error }) => !error)).toEqual([]);
    expect(rows.filter(({ error }) => error?.startsWith('Address '))).toHaveLength(
      refusedUrls.filter(({ failure }) => failure === 'address_refused').length,
    );
  });

  it('fails when an allowed address redirects to a forbidden address', async () => {
    const locations = ['http://169.254.169.254/', '//loopback.test/', 'http://0x7f.1/', 'https://last-of-two.test/'];
    target.response = ({ path }) => ({ status: 307, headers: { location: decodeURIComponent(path.slice(1)) } });
    for (const location of locations) {
      await rig.addWebhook(`${target.urlFor('open.test')}/${encodeURIComponent(location)}`);
    }
    const connections = await connectionsOf(async () => {
      rig.process({ settings: settingsWith({ WEBHOOK_ALLOW_HOSTS: 'open.test' }) });
      await rig.commit(siteChange());
      for (const row of await rig.settled(locations.length)) {
        expect(row).toMatchObject({ status: 'failed', error: expect.stringMatching(/^Address .* is refused/) });
      }
    });
    expect(new Set(connections)).toEqual(new Set([`127.0.0.1 ${new URL(target.url).port}`]));
    expect(target.requests).toHaveLength(locations.length);
  });

  it('fails when the second resolution of a name returns a forbidden address', async () => {
    await rig.addWebhook(target.urlFor('changes.test'));
    const connections = await connectionsOf(async () => {
      rig.process({ settings: settingsWith({ WEBHOOK_ALLOW_NETWORKS: '127.0.0.1/32' }) });
      await rig.commit(siteChange());
      await rig.settled(1);
      await rig.commit(siteChange());
      await rig.settled(2);
    });
    expect(await rig.deliveries()).toMatchObject([
      { status: 'succeeded' },
      { status: 'failed', error: 'Address 127.0.0.2 of host changes.test is refused: loopback' },
    ]);
    expect(connections).toEqual([`127.0.0.1 ${new URL(target.url).port}`]);
  });
});
