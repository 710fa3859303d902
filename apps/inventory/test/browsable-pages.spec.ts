import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startInventory, type TestInventory } from './support/test-service.js';

const browser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };

describe('browsable API pages', () => {
  let test: TestInventory;
  beforeAll(async () => {
    test = await startInventory();
    await test.api.post('/api/dcim/sites/', { json: { name: '<b>One</b> "&', slug: 'one' } });
  });
  afterAll(() => test.close());

  const page = async (path: string, headers: Record<string, string> = browser) => {
    const response = await test.api.get(path, { headers, unchecked: true });
    return { ...response, type: response.headers['content-type'] };
  };

  it.each(['/api/', '/api/dcim/', '/api/dcim/sites/', '/api/dcim/sites/1/', '/api/status/'])(
    'show %s to a browser, with pagination links',
    async (path) => {
      const { status, type, text } = await page(path);
      expect([status, type]).toEqual([200, 'text/html; charset=utf-8']);
      expect(text).toContain(`<h1>GET ${path}</h1>`);
      const plain = (await test.api.get<Record<string, unknown>>(path)).text;
      for (const [, address] of plain.matchAll(/"(http[^"]+\/api\/[^"]*)"/g)) {
        expect(text).toContain(`<a href="${address?.replaceAll('&', '&amp;')}">`);
      }
    },
  );

  it('escape user data, and allow only scripts of this service', async () => {
    const { text, headers } = await page('/api/dcim/sites/?q=%3Cscript%3E&limit=5');
    expect(text).not.toMatch(/<b>One/);
    expect(text.match(/<script[^>]*>/g)).toEqual(['<script type="module" src="/api/schema/assets/browse.js">']);
    const { text: shown } = await page('/api/dcim/sites/');
    expect(shown).toContain('&lt;b&gt;One&lt;/b&gt; \\&quot;&amp;');
    expect(headers['content-security-policy']).toContain("default-src 'none'");
  });

  it('contain a button for each allowed method, with a CSRF token', async () => {
    const buttons = async (path: string) =>
      [...(await page(path)).text.matchAll(/<button name="method" value="(\w+)"/g)].map(([, method]) => method);
    expect(await buttons('/api/dcim/sites/')).toEqual(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
    expect(await buttons('/api/dcim/sites/1/')).toEqual(['PUT', 'PATCH', 'DELETE', 'OPTIONS']);
    expect(await buttons('/api/status/')).toEqual(['OPTIONS']);
    const { status, text } = await test.stranger.get('/api/schema/assets/browse.js', { unchecked: true });
    expect([status, text]).toEqual([200, expect.stringContaining("'x-csrftoken'")]);
  });

  it.each(['/api/', '/api/dcim/sites/?limit=5'])(
    'redirect an unauthenticated browser from %s to the login page and back',
    async (path) => {
      const { statusCode, headers, body } = await test.fastify.inject({ url: path, headers: browser });
      expect([statusCode, headers['location'], body]).toEqual([302, `/login/?next=${encodeURIComponent(path)}`, '']);
      const form = await test.fastify.inject({ url: String(headers['location']), headers: browser });
      expect(form.body).toContain(`name="next" value="${path.replaceAll('&', '&amp;')}"`);
    },
  );

  it('respond with the JSON error to API clients without credentials', async () => {
    const refused = async (headers: Record<string, string>) =>
      (await test.fastify.inject({ url: '/api/dcim/sites/', headers })).statusCode;
    expect(await refused({})).toBe(403);
    expect(await refused({ accept: 'application/json' })).toBe(403);
    expect(await refused({ ...browser, authorization: 'Token wrong' })).toBe(403);
  });

  it('respond with HTML for ?format=api and with JSON for ?format=json', async () => {
    expect((await page('/api/dcim/sites/?format=api', {})).type).toBe('text/html; charset=utf-8');
    expect((await page('/api/dcim/sites/?format=json')).type).toBe('application/json; charset=utf-8');
    expect((await page('/api/dcim/sites/', { accept: '*/*' })).type).toBe('application/json; charset=utf-8');
    expect((await page('/api/dcim/sites/', { accept: 'application/json, text/html' })).type).toContain('json');
  });

  it.each(['swagger-ui', 'redoc'])(
    'show the API schema with %s without credentials, and load only files of this service',
    async (name) => {
      const { status, text, headers } = await test.stranger.get(`/api/schema/${name}/`, { unchecked: true });
      expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
      const files = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, file]) => file ?? '');
      expect(files.length).toBeGreaterThan(0);
      for (const file of files) {
        const asset = await test.stranger.get(file, { unchecked: true });
        expect([file, asset.status, asset.headers['content-type']]).toEqual([
          file,
          200,
          `text/${file.endsWith('.css') ? 'css' : 'javascript'}; charset=utf-8`,
        ]);
      }
    },
  );

  it('link the login page and the adjacent pages', async () => {
    await test.api.post('/api/dcim/sites/', { json: [2, 3].map((n) => ({ name: `Site ${n}`, slug: `site-${n}` })) });
    const { text } = await page('/api/dcim/sites/?limit=1&offset=1');
    expect(text).toMatch(/<a rel="previous" href="http[^"]*limit=1">previous<\/a>/);
    expect(text).toMatch(/<a rel="next" href="http[^"]*limit=1&amp;offset=2">next<\/a>/);
    expect(text).toContain('href="/login/?next=%2Fapi%2Fdcim%2Fsites%2F%3Flimit%3D1%26offset%3D1"');
    expect((await page('/api/status/')).text).not.toContain('rel="next"');
  });

  it('render no link for a URL that a user stored', async () => {
    await test.api.patch('/api/users/config/', { json: { next: 'javascript:alert(1)' } });
    const { status, text } = await page('/api/users/config/');
    expect([status, text.includes('javascript:alert(1)')]).toEqual([200, true]);
    expect(text).not.toContain('href="javascript:');
  });

  it('send the CSRF token of a session in Swagger UI requests', async () => {
    const { text } = await test.stranger.get('/api/schema/assets/swagger-ui-start.js', { unchecked: true });
    const start = (cookie: string) => {
      let interceptor = (request: { headers: Record<string, string> }) => request;
      const bundle = (options: { requestInterceptor: typeof interceptor }) => {
        interceptor = options.requestInterceptor;
      };
      runInNewContext(text, { SwaggerUIBundle: bundle, document: { cookie } });
      return interceptor({ headers: {} }).headers;
    };
    expect(start('a=b; csrftoken=0123abc')).toEqual({ 'X-CSRFToken': '0123abc' });
    expect(start('a=b')).toEqual({});
  });

  it('respond 404 for a file that no page uses', async () => {
    for (const name of ['index.js', '__proto__', '..%2Fpackage.json']) {
      expect((await test.stranger.get(`/api/schema/assets/${name}`, { unchecked: true })).status).toBe(404);
    }
  });
});

describe('GET /', () => {
  let test: TestInventory;
  beforeAll(async () => {
    test = await startInventory();
  });
  afterAll(() => test.close());
  const open = (path: string, headers: Record<string, string> = browser) =>
    test.stranger.get(path, { headers, unchecked: true });

  it('returns a page with the server name, clients, login link and API documentation', async () => {
    const { status, text } = await open('/');
    expect(status).toBe(200);
    expect(text).toContain('pynetbox');
    const links = [...text.matchAll(/href="([^"]+)"/g)].map(([, link]) => link ?? '');
    expect(links.toSorted()).toEqual([
      '/api/',
      '/api/schema/?format=json',
      '/api/schema/redoc/',
      '/api/schema/swagger-ui/',
      '/login/',
    ]);
    for (const link of links.filter((one) => one !== '/api/'))
      expect([link, (await open(link)).status]).toEqual([link, 200]);
  });

  it('redirects browsers, but not API clients, from unknown pages', async () => {
    const { status, headers } = await open('/dcim/sites/');
    expect([status, headers['location']]).toEqual([302, '/']);
    expect((await open('/dcim/sites/', {})).status).toBe(404);
    const hidden = await open('/api/nope/');
    expect([hidden.status, hidden.headers['location']]).toEqual([302, '/login/?next=%2Fapi%2Fnope%2F']);
    expect((await open('/api/nope/', {})).status).toBe(403);
  });
});
