import { METHODS, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { OpenApiDocument } from '@switchboard/platform';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type ChatCluster,
  chatCluster,
  type ChatProcess,
  contract,
  type DemoUser,
  signIn,
} from '../../../test/chat-server.js';

let cluster: ChatCluster;
let chat: ChatProcess;
let hamlet: DemoUser;

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start();
  hamlet = await signIn(chat, 'hamlet');
});
afterAll(() => cluster.stop());

const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
const open = (url: string, headers: Record<string, string> = browser) =>
  chat.client.get(url, { headers, unchecked: true });

/** Returns the URLs of links and images of a page that lead to this server. */
function linksOf(page: string): string[] {
  return [...page.matchAll(/(?:href|src|spec-url)="(\/[^"]*)"/g)].map(([, link]) => link ?? '');
}

describe('GET /', () => {
  it('returns a page with the server name, clients, login link and API documentation', async () => {
    const { status, text, headers } = await open('/');
    expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(text).toContain('Zulip REST API');
    expect(text).toContain('zulip-terminal');
    expect(linksOf(text).toSorted()).toEqual([
      '/accounts/login/',
      '/api/v1/openapi.json',
      '/docs/redoc',
      '/docs/swagger-ui',
    ]);
    for (const link of linksOf(text)) expect([link, (await open(link)).status]).toEqual([link, 200]);
  });

  it.each(['/docs/swagger-ui', '/docs/redoc/'])('links %s, whose page loads nothing from other hosts', async (page) => {
    const { text, headers } = await open(page);
    expect(headers['content-security-policy']).toContain("default-src 'none'");
    const links = linksOf(text);
    expect(links.length).toBeGreaterThan(1);
    for (const link of links) expect([link, (await open(link)).status]).toEqual([link, 200]);
    expect(text).not.toMatch(/(?:href|src)="https?:/);
  });

  it.each(['/nowhere', '/api', '/api/', '/api/v1/', '/json'])(
    'redirects a browser from %s to the front page',
    async (path) => {
      const { status, headers } = await open(path);
      expect([status, headers['location']]).toEqual([302, '/']);
      expect((await open(path, {})).status).toBe(404);
    },
  );

  it('does not redirect a browser that requests an unknown endpoint', async () => {
    expect((await open('/api/v1/nowhere')).status).toBe(404);
    expect((await open('/json/nowhere')).status).toBe(404);
  });
});

describe('GET /api/v1/openapi.json', () => {
  it('returns the OpenAPI document without credentials', async () => {
    const { status, body, headers } = await chat.client.get<OpenApiDocument>('/api/v1/openapi.json', {
      unchecked: true,
    });
    expect([status, headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
    expect(body).toEqual(JSON.parse(JSON.stringify(contract)));
  });

  it('describes lists and objects in forms as JSON text', () => {
    const body = contract.paths?.['/api/v1/users/me/subscriptions']?.post?.requestBody;
    const content = body !== undefined && 'content' in body ? body.content : {};
    for (const type of ['application/x-www-form-urlencoded', 'multipart/form-data']) {
      expect(content[type]?.encoding).toMatchObject({
        subscriptions: { contentType: 'application/json' },
        principals: { contentType: 'application/json' },
      });
      expect(content[type]?.encoding).not.toHaveProperty('announce');
    }
  });

  it('describes query parameters that are lists or objects as JSON text', () => {
    const parameters = contract.paths?.['/api/v1/messages']?.get?.parameters ?? [];
    const byName = new Map(parameters.flatMap((one) => ('name' in one ? [[one.name, one] as const] : [])));
    expect(byName.get('narrow')).toMatchObject({ content: { 'application/json': { schema: { type: 'array' } } } });
    expect(byName.get('narrow')).not.toHaveProperty('schema');
    expect(byName.get('num_before')).toHaveProperty('schema');
  });

  it('marks the bytes of a resumable upload as required when the upload exists', () => {
    const requiredOf = (path: string, method: 'post' | 'patch'): unknown => {
      const body = contract.paths?.[path]?.[method]?.requestBody;
      return body !== undefined && 'content' in body ? body.required : body;
    };
    expect([requiredOf('/api/v1/tus', 'post'), requiredOf('/api/v1/tus/{id}', 'patch')]).toEqual([false, true]);
  });

  it('marks a form as required exactly when the endpoint responds 400 to a request without a body', async () => {
    for (const [path, item] of Object.entries(contract.paths ?? {})) {
      for (const method of ['post', 'patch', 'put', 'delete'] as const) {
        const body = item[method]?.requestBody;
        if (body === undefined || !('content' in body) || !path.startsWith('/api/v1/')) continue;
        if (!('multipart/form-data' in body.content)) continue;
        const schemas = Object.values(body.content).map(({ schema }) => schema);
        const required = schemas.some(
          (schema) => schema !== undefined && 'required' in schema && schema.required !== undefined,
        );
        expect([path, method, body.required]).toEqual([path, method, required]);
        if (!required || path.includes('{')) continue;
        const { status, body: response } = await hamlet.client[method]<{ code: string }>(path, { unchecked: true });
        expect([path, method, status]).toEqual([path, method, expect.toBeOneOf([400, 401, 403, 404])]);
        // Endpoints that accept a file check the rights of the user before they read the form.
        const codes = /^(REQUEST_VARIABLE_MISSING|BAD_REQUEST|UNAUTHORIZED_PRINCIPAL)$/;
        if (status === 400) expect(response.code).toMatch(codes);
      }
    }
  });
});

describe('requests with unsupported methods', () => {
  /** Sends a request over a real network connection, because injected requests support fewer HTTP methods. */
  async function ask(method: string, path: string): Promise<{ status: number; allow: string | undefined }> {
    const address: AddressInfo | string | null = chat.app.getHttpServer().address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    return new Promise((resolve, reject) => {
      const outgoing = request({ host: '127.0.0.1', port, method, path }, (response) => {
        response.resume();
        response.on('end', () => resolve({ status: response.statusCode ?? 0, allow: response.headers.allow }));
      });
      outgoing.on('error', reject);
      outgoing.end();
    });
  }

  beforeAll(() => chat.app.listen(0, '127.0.0.1'));

  // Older versions of Node do not support QUERY and reject it as malformed HTTP.
  const unusual = ['QUERY', 'PROPFIND', 'TRACE', 'PURGE'].filter((method) => METHODS.includes(method));
  it.each(unusual)('get 405 with the allowed methods: %s', async (method) => {
    for (const path of ['/api/v1/messages', '/json/messages']) {
      expect(await ask(method, path)).toEqual({ status: 405, allow: 'GET, HEAD, OPTIONS, POST' });
    }
    expect((await ask(method, '/api/v1/nowhere')).status).toBe(404);
  });

  it('receive an Allow header with all documented methods, with HEAD for every GET, and with OPTIONS', async () => {
    for (const [path, item] of Object.entries(contract.paths ?? {})) {
      const described = ['get', 'post', 'put', 'patch', 'delete'].filter((method) => method in item);
      const wanted = [
        ...described.map((method) => method.toUpperCase()),
        'OPTIONS',
        ...('get' in item ? ['HEAD'] : []),
      ];
      const concrete = path.replaceAll(/\{\w+\}/g, '1');
      const { status, allow = '' } = await ask('PROPFIND', concrete);
      expect([path, status]).toEqual([path, 405]);
      expect([path, wanted.filter((method) => !allow.split(', ').includes(method))]).toEqual([path, []]);
    }
  });
});

describe('OpenAPI document of chat', () => {
  it('declares status 503 with Retry-After for every operation', () => {
    const operations = Object.entries(contract.paths ?? {}).flatMap(([path, item]) =>
      METHODS.flatMap((method) => {
        const operation = Reflect.get(Object(item), method.toLowerCase()) as { responses?: object } | undefined;
        return operation === undefined ? [] : [{ name: `${method} ${path}`, responses: operation.responses }];
      }),
    );
    expect(operations.length).toBeGreaterThan(100);
    const headers = { 'Retry-After': { schema: { type: 'integer' } } };
    for (const operation of operations) {
      expect(operation).toMatchObject({ responses: { 503: { headers }, 429: { headers } } });
    }
  });
});
