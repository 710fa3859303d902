import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { PortTakenError, runService, Shutdown, type RunServiceOptions } from '../src/index.js';
import { Gate, gates, LogLines, logTo, serviceOptions } from './service-fixture.js';

function shutdownWith(timeoutMs: number) {
  const lines = new LogLines();
  const codes: number[] = [];
  const shutdown = new Shutdown({ timeoutMs, logger: logTo(lines), exit: (code) => codes.push(code) });
  return { shutdown, lines, codes };
}

async function run(overrides: Partial<RunServiceOptions> = {}, timeoutMs = 5_000) {
  const { shutdown, lines, codes } = shutdownWith(timeoutMs);
  const options = { ...serviceOptions(), port: 0, host: '127.0.0.1', shutdown, ...overrides };
  const service = await runService(options);
  shutdown.stopListeningForSignals();
  return { ...service, shutdown, lines, codes, serviceLines: options.lines };
}

const delay = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

describe('Shutdown', () => {
  it('runs phases in order, and steps of one phase concurrently', async () => {
    const { shutdown, lines } = shutdownWith(1_000);
    const order: string[] = [];
    shutdown.addStep('postgres', 'pool', async () => void order.push('postgres'));
    shutdown.addStep('end', 'last', async () => void order.push('end'));
    shutdown.addStep('intake', 'slow', async () => {
      await delay(20);
      order.push('intake slow');
    });
    shutdown.addStep('intake', 'fast', async () => void order.push('intake fast'));
    shutdown.addStep('redis', 'client', async () => void order.push('redis'));
    shutdown.addStep('drain', 'jobs', async () => void order.push('drain'));
    shutdown.addStep('notice', 'readiness', async () => void order.push('notice'));
    expect(await shutdown.run('test')).toBe(true);
    expect(order).toEqual(['notice', 'intake fast', 'intake slow', 'drain', 'redis', 'postgres', 'end']);
    expect(lines.find('shutdown step completed')).toHaveLength(7);
  });

  it('runs each step once when shutdown is requested several times', async () => {
    const { shutdown } = shutdownWith(1_000);
    let closed = 0;
    shutdown.addStep('end', 'once', async () => void closed++);
    await Promise.all([shutdown.run('a'), shutdown.run('b')]);
    await shutdown.run('c');
    expect(closed).toBe(1);
  });

  it('continues after a failed step, and logs the failure', async () => {
    const { shutdown, lines } = shutdownWith(1_000);
    let closed = false;
    shutdown.addStep('intake', 'bad', () => Promise.reject(new Error('stuck')));
    shutdown.addStep('end', 'good', async () => void (closed = true));
    expect(await shutdown.run('test')).toBe(false);
    expect(closed).toBe(true);
    expect(lines.find('shutdown step failed')[0]).toMatchObject({ step: 'bad', err: { message: 'stuck' } });
  });

  it('signals running steps after four fifths of the time, and logs steps that exceed the time', async () => {
    const { shutdown, lines } = shutdownWith(100);
    let hurried = false;
    shutdown.addStep(
      'intake',
      'polite',
      (hurry) => new Promise((resolve) => hurry.addEventListener('abort', () => ((hurried = true), resolve()))),
    );
    shutdown.addStep('drain', 'deaf', () => new Promise(() => {}));
    shutdown.addStep('postgres', 'pool', () => Promise.resolve());
    expect(await shutdown.run('test')).toBe(false);
    expect(hurried).toBe(true);
    expect(lines.find('shutdown timed out during these steps')).toEqual([
      expect.objectContaining({ unfinished: ['deaf'] }),
    ]);
    expect(lines.find('shutdown timed out before these steps began')).toEqual([
      expect.objectContaining({ unfinished: ['pool'] }),
    ]);
  });

  it('runs a step immediately if the step is added after its phase has run', async () => {
    const { shutdown } = shutdownWith(1_000);
    await shutdown.run('test');
    let closed = false;
    shutdown.addStep('redis', 'late', async () => void (closed = true));
    expect(closed).toBe(true);
  });
});

describe('runService', () => {
  it('completes running requests, ends long polls, and accepts no new requests', async () => {
    const order: string[] = [];
    const { url, shutdown, lines, codes } = await run({
      configure(_app, fastify) {
        fastify.addHook('onResponse', async (request, reply) => {
          order.push(`${request.url} ${reply.statusCode}`);
        });
      },
    });
    const [slow, poll] = [new Gate(), new Gate()];
    gates.set('slow', slow).set('poll', poll);
    shutdown.addStep('intake', 'long polls', async () => poll.release());
    shutdown.addStep('postgres', 'pool', async () => void order.push('pool closed'));
    const responses = ['slow', 'poll'].map(async (gate) => {
      const response = await fetch(`${url}/things/held/${gate}`);
      return response.json();
    });
    await Promise.all([slow.held, poll.held]);
    const stopping = shutdown.run('test');
    await expect.poll(() => order).toEqual(['/things/held/poll 200']);
    await expect(fetch(`${url}/things`)).rejects.toThrow('fetch failed');
    slow.release();
    expect(await Promise.all(responses)).toEqual([{ gate: 'slow' }, { gate: 'poll' }]);
    expect(await stopping).toBe(true);
    expect(order).toEqual(['/things/held/poll 200', '/things/held/slow 200', 'pool closed']);
    expect(lines.find('stopped')[0]).toMatchObject({ clean: true });
    expect(codes).toEqual([]);
  });

  it('reports not ready at first during the shutdown, and serves requests for SHUTDOWN_DELAY_MS', async () => {
    const options = serviceOptions();
    const { url, shutdown } = await run({ ...options, config: { ...options.config, SHUTDOWN_DELAY_MS: 300 } });
    const stopping = shutdown.run('test');
    expect((await fetch(`${url}/health/ready`)).status).toBe(503);
    expect((await fetch(`${url}/things`)).status).toBe(200);
    expect(await stopping).toBe(true);
    await expect(fetch(`${url}/things`)).rejects.toThrow('fetch failed');
  });

  it('serves metrics on a separate port until the shutdown ends, and starts without metrics if the port is used', async () => {
    const options = serviceOptions({ METRICS_PORT: '0' });
    const { shutdown } = await run(options);
    const port = Number(options.lines.find('serving /metrics')[0]?.['port']);
    const metrics = `http://127.0.0.1:${port}/metrics`;
    expect(await (await fetch(metrics)).text()).toContain('process_resident_memory_bytes');
    const second = serviceOptions({ METRICS_PORT: String(port) });
    const other = await run(second);
    expect((await fetch(`${other.url}/things`)).status).toBe(200);
    const warning = 'metrics are not served because their port is in use: set METRICS_PORT to a free port';
    expect(second.lines.find(warning)).toMatchObject([{ level: 'warn', port }]);
    await Promise.all([shutdown.run('test'), other.shutdown.run('test')]);
    await expect(fetch(metrics)).rejects.toThrow('fetch failed');
  });

  it('does not wait for idle and unused connections', async () => {
    const { port, url, shutdown } = await run();
    const unused = connect(port, '127.0.0.1');
    await once(unused, 'connect');
    await fetch(`${url}/things`);
    const startedAt = performance.now();
    const ended = once(unused, 'close');
    unused.resume();
    await shutdown.run('test');
    await ended;
    expect(performance.now() - startedAt).toBeLessThan(4_000);
  });

  it('does not wait for a connection whose request was rejected before the request body arrived', async () => {
    const { port, shutdown } = await run({}, 5_000);
    const upload = connect(port, '127.0.0.1');
    upload.write('POST /things HTTP/1.1\r\nhost: a\r\ncontent-type: text/plain\r\ncontent-length: 1000000\r\n\r\npart');
    const [response] = await once(upload, 'data');
    expect(String(response)).toMatch(/^HTTP\/1.1 415 /);
    const startedAt = performance.now();
    upload.resume();
    expect(await shutdown.run('test')).toBe(true);
    expect(performance.now() - startedAt).toBeLessThan(2_000);
  });

  it('completes a request on a connection whose previous request was rejected before its body arrived', async () => {
    const { port, shutdown } = await run({}, 5_000);
    const client = connect(port, '127.0.0.1');
    client.write('POST /things HTTP/1.1\r\nhost: a\r\ncontent-type: text/plain\r\ncontent-length: 8\r\n\r\npart');
    const [refusal] = await once(client, 'data');
    expect(String(refusal)).toMatch(/^HTTP\/1.1 415 /);
    const gate = new Gate();
    gates.set('next', gate);
    client.write('rest' + 'GET /things/held/next HTTP/1.1\r\nhost: a\r\n\r\n');
    await gate.held;
    const response = Promise.race([once(client, 'data'), once(client, 'close')]);
    const stopping = shutdown.run('test');
    await delay(200);
    gate.release();
    expect(String((await response)[0])).toMatch(/^HTTP\/1.1 200 /);
    expect(await stopping).toBe(true);
  });

  it('completes a direct response on a connection whose previous request was rejected before its body arrived', async () => {
    const gate = new Gate();
    const findDirectResponse: RunServiceOptions['findDirectResponse'] = ({ url }) =>
      url === '/things'
        ? gate.pass().then(() => ({ route: '/things', address: '', headers: {}, body: Buffer.from('stored') }))
        : null;
    const { port, shutdown } = await run({ findDirectResponse }, 5_000);
    const client = connect(port, '127.0.0.1');
    client.write('POST /things HTTP/1.1\r\nhost: a\r\ncontent-type: text/plain\r\ncontent-length: 8\r\n\r\npart');
    await once(client, 'data');
    client.write('rest' + 'GET /things HTTP/1.1\r\nhost: a\r\n\r\n');
    await gate.held;
    const response = Promise.race([once(client, 'data'), once(client, 'close')]);
    const stopping = shutdown.run('test');
    // Several checks for unused connections.
    await delay(200);
    gate.release();
    expect(String((await response)[0])).toMatch(/^HTTP\/1.1 200 /);
    expect(await stopping).toBe(true);
  });

  it('closes connections with each response during shutdown', async () => {
    const options = serviceOptions();
    const { url, shutdown } = await run({ ...options, config: { ...options.config, SHUTDOWN_DELAY_MS: 300 } });
    expect((await fetch(`${url}/things`)).headers.get('connection')).toBe('keep-alive');
    const gate = new Gate();
    gates.set('stopped', gate);
    const held = fetch(`${url}/things/held/stopped`);
    await gate.held;
    const stopping = shutdown.run('test');
    expect((await fetch(`${url}/things`)).headers.get('connection')).toBe('close');
    gate.release();
    expect((await held).headers.get('connection')).toBe('close');
    await stopping;
  });

  it('aborts requests that exceed the time limit of a shutdown, so that its later phases run', async () => {
    const { url, shutdown } = await run({}, 300);
    const gate = new Gate();
    gates.set('endless', gate);
    let closed = false;
    shutdown.addStep('postgres', 'pool', async () => void (closed = true));
    const cut = expect(fetch(`${url}/things/held/endless`)).rejects.toThrow('fetch failed');
    await gate.held;
    await shutdown.run('test');
    await cut;
    expect(closed).toBe(true);
    gate.release();
  });

  it('exits with 1 and explains how to choose another port when the port is in use', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo;
    const { shutdown, codes } = shutdownWith(1_000);
    let closed = false;
    shutdown.addStep('postgres', 'pool', async () => void (closed = true));
    const options = { ...serviceOptions(), port, host: '127.0.0.1', shutdown, portVariable: 'CHAT_PORT' };
    await expect(runService(options)).rejects.toThrow(PortTakenError);
    expect(options.lines.lines.find(({ level }) => level === 'fatal')?.['msg']).toBe(
      `Port ${port} on 127.0.0.1 is used by another program. Stop that program, or set CHAT_PORT to a free port.`,
    );
    expect([closed, codes]).toEqual([true, [1]]);
    taken.close();
  });
});

describe('runService after a signal', () => {
  async function signalled(second: 'same moment' | 'later', stepMs: number): Promise<number[]> {
    const { shutdown, codes } = shutdownWith(5_000);
    shutdown.addStep('drain', 'jobs', () => delay(stepMs));
    shutdown.listenForSignals();
    try {
      process.emit('SIGTERM');
      await delay(second === 'later' ? 600 : 10);
      process.emit('SIGINT');
      await delay(second === 'later' ? 0 : stepMs + 50);
    } finally {
      shutdown.stopListeningForSignals();
    }
    return codes;
  }

  it('exits with 0 after an orderly shutdown, also after a duplicate Ctrl-C', async () => {
    expect(await signalled('same moment', 50)).toEqual([0]);
  });

  it('completes the shutdown and exits with 0 when SIGTERM follows SIGHUP', async () => {
    const { shutdown, codes } = shutdownWith(5_000);
    let isCompleted = false;
    shutdown.addStep('drain', 'jobs', async () => {
      await delay(900);
      isCompleted = true;
    });
    shutdown.listenForSignals();
    try {
      process.emit('SIGHUP');
      await delay(600);
      process.emit('SIGTERM');
      await expect.poll(() => codes).toEqual([0]);
    } finally {
      shutdown.stopListeningForSignals();
    }
    expect(isCompleted).toBe(true);
  });

  it('exits immediately at a second signal some time later', async () => {
    expect(await signalled('later', 3_000)).toEqual([1]);
  });
});
