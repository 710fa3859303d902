import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { collectTracingSpans, type ProcessSpanCollection } from '@switchboard/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { OutboundClient } from '../src/index.js';
import { loopbackClient } from './loopback-client.js';

let spans: ProcessSpanCollection;
let client: OutboundClient;
let received: IncomingHttpHeaders[];
let port: number;
const server = createServer((request, response) => {
  received.push(request.headers);
  if (request.url === '/moved') response.writeHead(307, { location: '/gone' }).end();
  else response.writeHead(request.url === '/gone' ? 410 : 200).end();
});

beforeEach(async () => {
  received = [];
  spans = await collectTracingSpans();
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  ({ port } = server.address() as AddressInfo);
  client = loopbackClient({});
});
afterEach(async () => {
  await client.close();
  await new Promise((resolve) => void server.close(resolve));
  await spans.stop();
});

describe('span of OutboundClient.request', () => {
  it('has method, server and status, but no part of the URL that may be secret', async () => {
    await client.request({ url: `http://127.0.0.1:${port}/hook/secret-path?token=hunter2`, method: 'POST' });
    const span = await spans.collector.waitForSpan('POST');
    expect(span).toMatchObject({ kind: 'client', hasFailed: false, scope: '@switchboard/outbound' });
    expect(span.attributes).toEqual({
      'http.request.method': 'POST',
      'http.response.status_code': 200,
      'server.address': '127.0.0.1',
      'server.port': port,
      'url.scheme': 'http',
    });
    expect(received[0]?.['traceparent']).toBe(`00-${span.traceId}-${span.spanId}-01`);
  });

  it('includes redirects, and is marked as failed for a response with status 410', async () => {
    await client.request({ url: `http://127.0.0.1:${port}/moved` });
    const span = await spans.collector.waitForSpan('GET');
    expect(span.hasFailed).toBe(true);
    expect(span.attributes).toMatchObject({
      'http.response.status_code': 410,
      'http.request.resend_count': 1,
      'error.type': '410',
    });
    expect(received.map((headers) => headers['traceparent'])).toEqual(
      Array(2).fill(expect.stringContaining(span.spanId)),
    );
  });

  it('leaves the traceparent header of the caller unchanged', async () => {
    await client.request({ url: `http://127.0.0.1:${port}/`, headers: { Traceparent: 'own' } });
    expect(received[0]?.['traceparent']).toBe('own');
  });

  it('has the name of the error of a refused request', async () => {
    await expect(client.request({ url: 'http://169.254.169.254/secret-path' })).rejects.toThrow('169.254');
    const span = await spans.collector.waitForSpan('GET');
    expect(span).toMatchObject({ hasFailed: true, attributes: { 'error.type': 'AddressRefusedError' } });
    await expect(client.request({ url: 'not a URL' })).rejects.toThrow('URL');
    await spans.collector.waitForSpan('GET', ({ attributes }) => attributes['error.type'] === 'UrlRefusedError');
  });
});

describe('OutboundClient without a tracer provider', () => {
  it('adds no tracing headers to requests', async () => {
    await spans.stop();
    const untraced = loopbackClient({});
    await untraced.request({ url: `http://127.0.0.1:${port}/` });
    await untraced.close();
    expect(received[0]).not.toHaveProperty('traceparent');
  });
});
