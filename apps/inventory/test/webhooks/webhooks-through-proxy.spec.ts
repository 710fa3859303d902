import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTestProxy, TestCertificateAuthority, type TestProxy } from '@switchboard/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { webhookEnvironmentVariables, createWebhookSettings, type WebhookSettings } from '../../src/webhooks/index.js';
import { Receiver } from './test-receiver.js';
import { quickSettings, WebhookTestEnvironment, siteChange } from './webhook-test-service.js';

let rig: WebhookTestEnvironment;
let proxy: TestProxy;
let target: Receiver;

beforeAll(async () => {
  rig = await WebhookTestEnvironment.create();
});
beforeEach(async () => {
  proxy = await startTestProxy();
  target = await new Receiver().start();
});
afterEach(async () => {
  await rig.reset();
  await target.stop();
  await proxy.close();
});
afterAll(() => rig.close());

/** Returns the settings of development with additional environment variables and short timeouts. */
function settingsWith(variables: Record<string, string>): WebhookSettings {
  const { outbound } = createWebhookSettings({
    ...webhookEnvironmentVariables.parse(variables),
    NODE_ENV: 'development',
  });
  const { retry } = quickSettings();
  return quickSettings({ outbound, retry: { ...retry, retries: 0 } });
}

const portOf = ({ url }: Receiver): string => new URL(url).port;

describe('WEBHOOK_PROXY', () => {
  it('receives a CONNECT request for the checked address of the receiver', async () => {
    const id = await rig.addWebhook(target.urlFor('localhost'), { secret: 'sesame' });
    rig.process({ settings: settingsWith({ WEBHOOK_PROXY: `http://me:s%20cret@${proxy.host}` }) });
    await rig.commit(siteChange());
    expect(await rig.settled(1)).toMatchObject([{ webhook_id: id, status: 'succeeded', response_status: 200 }]);
    const authorization = `Basic ${Buffer.from('me:s cret').toString('base64')}`;
    expect(proxy.tunnels).toMatchObject([{ authorization }]);
    expect(proxy.tunnels[0]?.target).toMatch(new RegExp(`^(127\\.0\\.0\\.1|\\[::1\\]):${portOf(target)}$`));
    expect(target.requests[0]?.headers).toMatchObject({ host: `localhost:${portOf(target)}` });
    expect(target.requests[0]?.headers).toHaveProperty('x-hook-signature');
  });

  it('opens a tunnel for TLS to the receiver', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'webhook-ca-'));
    const authority = await TestCertificateAuthority.create();
    await writeFile(join(folder, 'ca.pem'), authority.cert);
    const secure = await new Receiver(undefined, await authority.issueCertificate(['127.0.0.1'])).start();
    await rig.addWebhook(secure.url, { ca_file_path: join(folder, 'ca.pem') });
    rig.process({ settings: settingsWith({ WEBHOOK_PROXY: `http://${proxy.host}` }) });
    await rig.commit(siteChange());
    expect(await rig.settled(1)).toMatchObject([{ status: 'succeeded' }]);
    expect(proxy.tunnels).toEqual([{ target: `127.0.0.1:${portOf(secure)}`, authorization: '' }]);
    await secure.stop();
    await rm(folder, { recursive: true });
  });

  it('receives no request for a forbidden address', async () => {
    await rig.addWebhook('http://10.0.0.1/');
    rig.process({ settings: settingsWith({ WEBHOOK_PROXY: `http://${proxy.host}` }) });
    await rig.commit(siteChange());
    expect(await rig.settled(1)).toMatchObject([
      { status: 'failed', error: 'Address 10.0.0.1 of host 10.0.0.1 is refused: private' },
    ]);
    expect(proxy.tunnels).toEqual([]);
  });

  it('resolves host names if enabled, and is bypassed for hosts in WEBHOOK_NO_PROXY', async () => {
    await rig.addWebhook(target.urlFor('only-the-proxy-knows.test'));
    await rig.addWebhook(target.url);
    const WEBHOOK_PROXY = `http://${proxy.host}`;
    const settings = { WEBHOOK_PROXY, WEBHOOK_PROXY_RESOLVES_NAMES: 'true', WEBHOOK_NO_PROXY: '127.0.0.0/8' };
    rig.process({ settings: settingsWith(settings) });
    await rig.commit(siteChange());
    expect(await rig.settled(2)).toMatchObject([{ status: 'succeeded' }, { status: 'succeeded' }]);
    expect(proxy.tunnels.map((tunnel) => tunnel.target)).toEqual([`only-the-proxy-knows.test:${portOf(target)}`]);
  });

  it('causes a failed attempt when the proxy responds with an error, without revealing its password', async () => {
    proxy.status = 407;
    await rig.addWebhook(target.url);
    rig.process({ settings: settingsWith({ WEBHOOK_PROXY: `http://me:open-sesame@${proxy.host}` }) });
    await rig.commit(siteChange());
    const rows = await rig.settled(1);
    expect(rows).toMatchObject([
      { status: 'failed', error: `Could not connect to ${proxy.host}: the proxy responded with status 407` },
    ]);
    const { rows: attempts } = await rig.database.query('SELECT * FROM webhook_delivery_attempts');
    expect(
      JSON.stringify([rows, attempts, rig.logs], (_key, value: unknown) =>
        typeof value === 'bigint' ? String(value) : value,
      ),
    ).not.toContain('open-sesame');
  });

  it.each(['proxy:3128', 'socks5://proxy', 'http://proxy/path?x=1', 'http://%zz@proxy'])('rejects %s', (url) => {
    expect(webhookEnvironmentVariables.safeParse({ WEBHOOK_PROXY: url }).success).toBe(false);
  });
});
