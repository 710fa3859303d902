import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { createSecureServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TestCertificateAuthority, type IssuedTlsCertificate } from '@switchboard/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { PlannedResponse, Receiver } from './test-receiver.js';
import { quickSettings, WebhookTestEnvironment, siteChange, type DeliveryRow } from './webhook-test-service.js';

let rig: WebhookTestEnvironment;

beforeAll(async () => {
  rig = await WebhookTestEnvironment.create();
});
afterEach(() => rig.reset());
afterAll(() => rig.close());

/** Returns the default settings of webhook delivery with short time limits. */
function settingsWith(limits: { retries?: number; headersTimeoutMs?: number; totalTimeoutMs?: number } = {}) {
  const { retry, outbound } = quickSettings();
  const { retries = 5, ...times } = limits;
  return quickSettings({ retry: { ...retry, retries }, outbound: { ...outbound, ...times } });
}

/** Returns the errors of all delivery attempts, in order, by the id of the webhook. */
async function errorsByWebhook(): Promise<Map<number | null, (string | null)[]>> {
  const { rows } = await rig.database.query<{ webhook_id: number | null; error: string | null }>(
    `SELECT webhook_id, a.error FROM webhook_delivery_attempts a JOIN webhook_deliveries d ON sequence = delivery_sequence
      ORDER BY sequence, number`,
  );
  const errors = new Map<number | null, (string | null)[]>();
  for (const { webhook_id: id, error } of rows) errors.set(id, [...(errors.get(id) ?? []), error]);
  return errors;
}

/** Writes `piece` to the connection again and again, until the connection is closed. */
function drip({ socket }: ServerResponse, piece: string): void {
  const timer = setInterval(() => socket?.write(piece), 20);
  socket?.once('close', () => clearInterval(timer));
}

const dripsHead: PlannedResponse = (response) => {
  response.socket?.write('HTTP/1.1 200 OK\r\n');
  drip(response, 'x-more: yes\r\n');
};
const dripsBody: PlannedResponse = (response) => {
  response.socket?.write('HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n');
  drip(response, '.');
};
const breaksOff: PlannedResponse = (response) => {
  response.writeHead(200, { 'content-length': '1000' }).write('half');
  setImmediate(() => response.socket?.resetAndDestroy());
};
const floodsHead: PlannedResponse = (response) => {
  response.socket?.write(`HTTP/1.1 200 OK\r\n${`x-more: ${'x'.repeat(1000)}\r\n`.repeat(100)}`);
};
const speaksOtherwise: PlannedResponse = (response) => void response.socket?.end('220 mail.example ESMTP\r\n');

describe('webhook delivery to a misbehaving receiver', () => {
  const bad: [string, PlannedResponse, string][] = [
    ['responds 500', { status: 500, body: 'no' }, "Status 500 returned with content 'no', webhook FAILED to process."],
    ['does not respond', 'hang', 'No response within the headers limit of 1500 ms'],
    ['sends headers slowly without end', dripsHead, 'No response within the headers limit of 1500 ms'],
    ['sends the body slowly without end', dripsBody, 'No response within the total limit of 2500 ms'],
    ['closes the connection', 'reset', 'The exchange with 127.0.0.1 broke: '],
    ['resets the connection within the body', breaksOff, 'The exchange with 127.0.0.1 broke: '],
    ['sends too many headers', floodsHead, 'The exchange with 127.0.0.1 broke: Headers Overflow Error'],
    ['speaks another protocol', speaksOtherwise, 'The exchange with 127.0.0.1 broke: '],
  ];
  const outcomes = new Map<string, { row: DeliveryRow | undefined; errors: (string | null)[]; ids: Set<unknown> }>();

  beforeAll(async () => {
    const webhooks = new Map<string, { id: number; target: Receiver }>();
    for (const [what, response] of bad) {
      const target = await rig.receiver((_request, count) => (count === 1 ? response : { status: 200 }));
      webhooks.set(what, { id: await rig.addWebhook(target.url), target });
    }
    rig.process({ settings: settingsWith({ headersTimeoutMs: 1500, totalTimeoutMs: 2500 }) });
    await rig.commit(siteChange());
    const rows = await rig.settled(bad.length);
    const errors = await errorsByWebhook();
    for (const [what, { id, target }] of webhooks) {
      const ids = new Set(target.requests.map(({ headers }) => headers['webhook-id']));
      outcomes.set(what, { row: rows.find((row) => row.webhook_id === id), errors: errors.get(id) ?? [], ids });
    }
  });

  it.each(bad)('records an aborted attempt and retries: %s', (what, _answer, error) => {
    const { row, errors, ids } = outcomes.get(what)!;
    // If the machine stalls, a good response may be late too.
    expect(errors[0]).toContain(error);
    expect(errors.at(-1)).toBeNull();
    const attempts = errors.length;
    expect(row).toMatchObject({ status: 'succeeded', attempts, response_status: 200, error: null });
    expect(ids).toEqual(new Set([row?.id]));
  });
});

describe('response body of a receiver', () => {
  const floods: [string, PlannedResponse][] = [
    ['of 10 MB', { status: 200, body: 'x'.repeat(10_000_000) }],
    [
      'without end',
      (response) => {
        response.writeHead(200).write('x'.repeat(100_000));
        drip(response, 'x');
      },
    ],
  ];

  it.each(floods)(
    'stores at most 16 KiB of the body, and the attempt succeeds: response %s',
    async (_what, response) => {
      const target = await rig.receiver(() => response);
      await rig.addWebhook(target.url);
      rig.process({ settings: settingsWith({ retries: 0 }) });
      await rig.commit(siteChange());
      const [row] = await rig.settled(1);
      expect(row).toMatchObject({ status: 'succeeded', attempts: 1, response_status: 200 });
      expect(row?.response_body).toBe('x'.repeat(16 * 1024));
      const { rows } = await rig.database.query('SELECT response_truncated FROM webhook_delivery_attempts');
      expect(rows).toEqual([{ response_truncated: true }]);
    },
  );
});

describe('webhook delivery with a redirect', () => {
  const signed = { secret: 'sesame', additional_headers: 'Authorization: Bearer x\nX-Key: abc\nCookie: a=b' };

  it('retains the signature and additional headers when the target has the same host', async () => {
    const target = await rig.receiver((_request, count) =>
      count === 1 ? { status: 308, headers: { location: '/moved?x=1' } } : { status: 200 },
    );
    await rig.addWebhook(target.url, signed);
    rig.process();
    await rig.commit(siteChange());
    await rig.settled(1);
    const [first, second] = target.requests;
    expect(second).toMatchObject({ method: 'POST', path: '/moved?x=1', headers: first?.headers, body: first?.body });
    expect(second?.headers).toMatchObject({ 'x-key': 'abc', authorization: 'Bearer x', cookie: 'a=b' });
    expect(second?.headers).toHaveProperty('x-hook-signature');
  });

  it('removes signatures and additional headers on another host, also when redirected back', async () => {
    const pairs: [Receiver, Receiver][] = [];
    for (const status of [301, 302, 303, 307, 308]) {
      const away: Receiver = await rig.receiver(() => ({ status, headers: { location: `${target.url}/back` } }));
      const target: Receiver = await rig.receiver((_request, count) =>
        count === 1 ? { status, headers: { location: away.url } } : { status: 200 },
      );
      await rig.addWebhook(target.url, signed);
      pairs.push([target, away]);
    }
    rig.process();
    await rig.commit(siteChange());
    for (const row of await rig.settled(5)) expect(row).toMatchObject({ status: 'succeeded', attempts: 1 });
    for (const [target, away] of pairs) {
      expect(target.requests[0]?.headers).toHaveProperty('webhook-signature');
      for (const request of [away.requests[0], target.requests[1]]) {
        const names = Object.keys(request?.headers ?? {});
        expect(names).toContain('webhook-id');
        expect(names.filter((name) => /signature|authorization|x-key|cookie/.test(name))).toEqual([]);
      }
    }
  });

  it('fails the attempt when there are too many redirects', async () => {
    const target = await rig.receiver(() => ({ status: 302, headers: { location: '/' } }));
    await rig.addWebhook(target.url);
    rig.process({ settings: settingsWith({ retries: 0 }) });
    await rig.commit(siteChange());
    expect(await rig.settled(1)).toMatchObject([{ status: 'failed', attempts: 1, error: 'More than 5 redirects' }]);
    expect(target.requests).toHaveLength(6);
  });

  it('fails permanently when the redirect target is forbidden', async () => {
    const refused: Record<string, string> = {
      'http://169.254.169.254/': 'Address 169.254.169.254 of host 169.254.169.254 is refused: metadata',
      'http://[::ffff:10.0.0.1]/': 'Address ::ffff:a00:1 of host ::ffff:a00:1 is refused: private',
      'file:///etc/passwd': 'Only http and https are supported, not file',
      'http://user:pass@127.0.0.1/': 'A URL must not carry credentials',
    };
    const targets: Receiver[] = [];
    for (const location of Object.keys(refused)) {
      const target = await rig.receiver(() => ({ status: 307, headers: { location } }));
      await rig.addWebhook(target.url, { ...signed, name: location });
      targets.push(target);
    }
    rig.process();
    await rig.commit(siteChange());
    const rows = await rig.settled(targets.length);
    expect(rows.map(({ error }) => error).toSorted()).toEqual(Object.values(refused).toSorted());
    for (const row of rows) expect(row).toMatchObject({ status: 'failed', attempts: 1, response_status: null });
    for (const { requests } of targets) expect(requests).toHaveLength(1);
  });
});

describe('webhook delivery over TLS', () => {
  let folder: string;
  let rows: Map<string, DeliveryRow>;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'webhook-ca-'));
    const [authority, other] = [await TestCertificateAuthority.create(), await TestCertificateAuthority.create()];
    const [ours, theirs] = [join(folder, 'ours.pem'), join(folder, 'theirs.pem')];
    await writeFile(ours, authority.cert);
    await writeFile(theirs, other.cert);
    const certificate = await authority.issueCertificate(['127.0.0.1']);
    const expired = await authority.issueCertificate(['127.0.0.1'], { expired: true });
    const misnamed = await authority.issueCertificate(['elsewhere.example']);
    const cases: Record<string, [IssuedTlsCertificate, Record<string, unknown>]> = {
      'private CA': [certificate, { ca_file_path: ours }],
      'no CA': [certificate, {}],
      'another CA': [certificate, { ca_file_path: theirs }],
      'not verified': [certificate, { ssl_verification: false }],
      expired: [expired, { ca_file_path: ours }],
      'expired, not verified': [expired, { ca_file_path: ours, ssl_verification: false }],
      misnamed: [misnamed, { ca_file_path: ours }],
    };
    for (const [name, [shown, columns]] of Object.entries(cases)) {
      const target = await rig.receiver(() => ({ status: 200 }), shown);
      await rig.addWebhook(target.url, { ...columns, name });
    }
    rig.process({ settings: settingsWith({ retries: 1 }) });
    await rig.commit(siteChange());
    const settled = await rig.settled(Object.keys(cases).length);
    const { rows: webhooks } = await rig.database.query<{ id: number; name: string }>(
      'SELECT id, name FROM extras_webhook',
    );
    const nameOf = new Map(webhooks.map(({ id, name }) => [id, name]));
    rows = new Map(settled.map((row) => [nameOf.get(row.webhook_id ?? 0) ?? '', row]));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it.each(['private CA', 'not verified', 'expired, not verified'])(
    'succeeds with the certificate setup: %s',
    (name) => {
      expect(rows.get(name)).toMatchObject({ status: 'succeeded', attempts: 1, response_status: 200 });
    },
  );

  it.each([
    ['no CA', 'unable to verify the first certificate'],
    ['another CA', 'certificate'],
    ['expired', 'certificate has expired'],
    ['misnamed', "IP: 127.0.0.1 is not in the cert's list"],
  ])('retries and fails: %s', (name, error) => {
    const row = rows.get(name);
    expect(row).toMatchObject({ status: 'failed', attempts: 2, response_status: null });
    expect(row?.error).toContain(error);
  });
});

describe('receiver with HTTP/2', () => {
  it('receives many signed deliveries on one connection', async () => {
    const authority = await TestCertificateAuthority.create();
    let connections = 0;
    const received: { version: string; signature: unknown; body: Record<string, unknown> }[] = [];
    const server = createSecureServer(await authority.issueCertificate(['127.0.0.1']), (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const signature = request.headers['x-hook-signature'];
        received.push({ version: request.httpVersion, signature, body: JSON.parse(Buffer.concat(chunks).toString()) });
        response.end('ok');
      });
    });
    server.on('secureConnection', () => (connections += 1));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
    try {
      await rig.addWebhook(url, { ssl_verification: false, secret: 'sesame' });
      rig.process();
      await rig.commit(...[1, 2, 3, 4, 5, 6].map((id) => siteChange({ id })));
      const rows = await rig.settled(6);
      expect(rows.map(({ status, attempts }) => [status, attempts])).toEqual(rows.map(() => ['succeeded', 1]));
      expect(received.map(({ version, body }) => [version, body['event']])).toEqual(rows.map(() => ['2.0', 'updated']));
      for (const { signature } of received) expect(signature).toMatch(/^[0-9a-f]{128}$/);
      expect(connections).toBe(1);
    } finally {
      server.close();
    }
  });
});
