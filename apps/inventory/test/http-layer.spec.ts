import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startInventory, type TestInventory } from './support/test-service.js';

describe('HTTP layer of the inventory service', () => {
  let test: TestInventory;
  beforeAll(async () => {
    test = await startInventory();
    await test.api.post('/api/dcim/sites/', {
      json: [
        { name: 'One', slug: 'one' },
        { name: 'Two', slug: 'two' },
      ],
    });
  });
  afterAll(() => test.close());

  it('redirects a GET without trailing slash to the path with a slash, and responds 404 to writes', async () => {
    const read = await test.api.get('/api/dcim/sites?brief=true', { unchecked: true });
    expect([read.status, read.headers['location']]).toEqual([301, '/api/dcim/sites/?brief=true']);
    const write = await test.api.post('/api/dcim/sites', { json: {}, unchecked: true });
    expect([write.status, write.body]).toEqual([404, { detail: 'Not found.' }]);
  });

  it('sets the documented headers on every response, with a new request id', async () => {
    for (const path of ['/api/', '/api/dcim/sites/', '/api/nope/', '/api/dcim/sites/999/']) {
      const { headers } = await test.api.get(path, { headers: { 'x-request-id': 'mine' }, unchecked: true });
      expect(headers['api-version']).toBe('4.6');
      expect(headers['x-request-id']).toMatch(/^[0-9a-f]{8}-[0-9a-f-]{27}$/);
      expect(headers['vary']).toContain('Accept');
      expect(headers['allow']).toContain('GET');
    }
  });

  it.each([
    ['application/json; version=4.6', 200],
    ['application/json; version=9.9', 406],
    ['text/csv', 406],
    ['*/*', 200],
    ['text/html,application/xhtml+xml;q=0.9,*/*;q=0.8', 200],
  ])('responds to Accept: %s with %i', async (accept, status) => {
    const response = await test.api.get('/api/dcim/sites/', { headers: { accept }, unchecked: true });
    expect(response.status).toBe(status);
    if (status === 406)
      expect(JSON.stringify(response.body)).toMatch(/Invalid version in \\"Accept\\" header|Could not satisfy/);
  });

  it('supports only the formats json and api', async () => {
    expect((await test.api.get('/api/dcim/sites/?format=xml', { unchecked: true })).body).toEqual({
      detail: 'Not found.',
    });
    expect((await test.api.get('/api/dcim/sites/?format=json', { unchecked: true })).status).toBe(200);
  });

  it('indents JSON if the header Accept requests it', async () => {
    const { text } = await test.api.get('/api/dcim/sites/', { headers: { accept: 'application/json; indent=4' } });
    expect(text).toContain('\n    "count": 2');
  });

  it.each([
    ['application/json', '{bad', 400, { detail: 'JSON parse error - Invalid JSON' }],
    ['application/json', 'x', 400, { detail: 'JSON parse error - Expecting value: line 1 column 1 (char 0)' }],
    [
      'application/x-www-form-urlencoded',
      'a=b',
      415,
      { detail: 'Unsupported media type "application/x-www-form-urlencoded" in request.' },
    ],
  ])('responds to a body of %s that contains %s with %i', async (type, payload, status, body) => {
    const response = await test.api.post('/api/dcim/sites/', {
      payload,
      headers: { 'content-type': type },
      unchecked: true,
    });
    expect({ status: response.status, body: response.body }).toEqual({ status, body });
  });

  it('authenticates the request before reading its body', async () => {
    const { status } = await test.stranger.post('/api/dcim/sites/', {
      payload: '{',
      headers: { 'content-type': 'application/json' },
    });
    expect(status).toBe(403);
  });

  it('responds to HEAD with the headers of GET and without a body', async () => {
    const { status, text, headers } = await test.api.head('/api/dcim/sites/');
    expect([status, text]).toEqual([200, '']);
    expect(Number(headers['content-length'])).toBeGreaterThan(100);
  });

  it('serves metrics of queues and requests only on the metrics port', async () => {
    expect((await test.stranger.get('/metrics', { unchecked: true })).status).toBe(404);
    const { text } = await test.metrics.render();
    expect(text).toMatch(/^inventory_outbox_oldest_age_seconds \d/m);
    expect(text).toMatch(/http_request_duration_seconds_count\{[^}]*route="\/api\/:app\/:model"/);
  });

  it('responds 400 to hosts outside ALLOWED_HOSTS', async () => {
    const limited = await startInventory({ ALLOWED_HOSTS: 'netbox.example.com, .internal' });
    const ask = async (host: string, path = '/api/dcim/sites/') => {
      const { status, body } = await limited.api.get(path, { headers: { host }, unchecked: true });
      return { status, body };
    };
    for (const host of ['netbox.example.com', 'NetBox.example.com:8000', 'internal', 'one.internal']) {
      expect(await ask(host)).toMatchObject({ status: 200 });
    }
    for (const host of ['evil.example.com', 'netbox.example.com.evil.example', 'notinternal']) {
      expect(await ask(host)).toEqual({ status: 400, body: { detail: 'Invalid HTTP_HOST header.' } });
      expect(await ask(host, '/health/live')).toMatchObject({ status: 200 });
    }
    await limited.close();
    expect((await test.api.get('/api/dcim/sites/', { headers: { host: 'any.example.com' } })).status).toBe(200);
  });

  it('responds 405 to unsupported methods of a path', async () => {
    const { status, body, headers } = await test.api.post('/api/dcim/sites/1/', { json: {}, unchecked: true });
    expect([status, body]).toEqual([405, { detail: 'Method "POST" not allowed.' }]);
    expect(headers['allow']).toBe('DELETE, GET, HEAD, OPTIONS, PATCH, PUT');
    const query = await test.fastify.inject({ method: 'QUERY', url: '/api/dcim/sites/' });
    expect([query.statusCode, query.json(), query.headers['allow']]).toEqual([
      405,
      { detail: 'Method "QUERY" not allowed.' },
      'DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT',
    ]);
    const provision = await test.api.get('/api/users/tokens/provision/', { unchecked: true });
    expect([provision.status, provision.headers['allow']]).toEqual([405, 'OPTIONS, POST']);
  });

  it.each([
    ['/api/', 'API Root'],
    ['/api/dcim/', 'DCIM API Root'],
    ['/api/tenancy/', 'Tenancy API Root'],
    ['/api/plugins/', 'Plugins API Root'],
    ['/api/plugins/installed-plugins/', 'Installed Plugins'],
    ['/api/status/', 'Status'],
    ['/api/authentication-check/', 'Authentication Check'],
    ['/api/schema/', 'Schema', ['application/yaml', 'application/json']],
  ])('describes %s in OPTIONS, and rejects writes', async (path, name, renders = ['application/json', 'text/html']) => {
    const { status, body, headers } = await test.api.sendOptionsRequest(path);
    expect({ status, body }).toEqual({
      status: 200,
      body: { name, description: '', renders, parses: ['application/json', 'multipart/form-data'] },
    });
    expect(headers['allow']).toBe('GET, HEAD, OPTIONS');
    expect((await test.api.post(path, { json: {}, unchecked: true })).status).toBe(405);
  });

  it('lists every method in the Allow header when the path contains a digit', async () => {
    const { headers } = await test.api.request('OPTIONS', '/api/vpn/l2vpns/');
    expect(headers['allow']).toBe('DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT');
  });

  it('describes lists and objects in OPTIONS with their media types', async () => {
    for (const [path, name, methods] of [
      ['/api/dcim/sites/', 'Site List', ['PUT', 'POST']],
      ['/api/dcim/sites/1/', 'Site Instance', ['PUT']],
    ] as const) {
      const { status, body } = await test.api.sendOptionsRequest<{ actions: object }>(path);
      expect(status).toBe(200);
      expect(body).toMatchObject({
        name,
        renders: ['application/json', 'text/html'],
        parses: ['application/json', 'multipart/form-data'],
      });
      expect(Object.keys(body.actions)).toEqual(methods);
    }
  });

  it('responds 404 to OPTIONS of an unknown app', async () => {
    expect((await test.api.sendOptionsRequest('/api/nope/')).status).toBe(404);
  });

  it.each([
    ['start=x', ["Invalid 'start' parameter: must be a non-negative integer."]],
    ['start=', ["Invalid 'start' parameter: must be a non-negative integer."]],
    ['start=1&offset=2', ["'start' and 'offset' are mutually exclusive."]],
    ['start=1&ordering=name', ['Ordering cannot be specified in conjunction with cursor-based pagination.']],
  ])('responds 400 to invalid or conflicting paging parameters: %s', async (query, body) => {
    const response = await test.api.get(`/api/dcim/sites/?${query}`);
    expect([response.status, response.body]).toEqual([400, body]);
  });

  it('includes the sorted query parameters in page links, and omits offset=0', async () => {
    const { body } = await test.api.get<Record<string, unknown>>('/api/dcim/sites/?ordering=-id&limit=1&brief=true');
    expect(body['next']).toBe('http://localhost/api/dcim/sites/?brief=true&limit=1&offset=1&ordering=-id');
    const second = await test.api.get<Record<string, unknown>>('/api/dcim/sites/?limit=1&offset=1');
    expect(second.body['previous']).toBe('http://localhost/api/dcim/sites/?limit=1');
    const beyond = await test.api.get<Record<string, unknown>>('/api/dcim/sites/?offset=50');
    expect(beyond.body).toMatchObject({ count: 2, next: null, results: [] });
    expect(beyond.body['previous']).not.toBeNull();
  });

  it.each([
    ['region=nope', { region: ['Select a valid choice. nope is not one of the available choices.'] }],
    ['region_id=abc', { region_id: ['“abc” is not a valid value.'] }],
    [
      'status=zz&id=1,2',
      { status: ['Select a valid choice. zz is not one of the available choices.'], id: ['Enter a whole number.'] },
    ],
    ['created=yesterday', { created: ['Enter a valid date/time.'] }],
    ['latitude=north', { latitude: ['Enter a number.'] }],
  ])('responds to the filter %s with field errors', async (query, body) => {
    const response = await test.api.get(`/api/dcim/sites/?${query}`);
    expect([response.status, response.body]).toEqual([400, body]);
  });

  it('responds 400 to an invalid regular expression', async () => {
    expect((await test.api.get('/api/dcim/sites/', { query: { name__regex: '(' } })).status).toBe(400);
  });

  it('lists the apps of the API at its root', async () => {
    const root = await test.api.get<Record<string, string>>('/api/');
    expect(root.body['ipam']).toBe('http://localhost/api/ipam/');
    const app = await test.api.get<Record<string, string>>('/api/ipam/');
    expect(Object.keys(app.body)).toEqual(expect.arrayContaining(['ip-addresses', 'prefixes', 'roles', 'vrfs']));
    expect((await test.api.get<Record<string, unknown>>('/api/status/')).body['netbox-version']).toMatch(/^4\.6\.\d+$/);
    expect((await test.api.get('/api/plugins/installed-plugins/')).body).toEqual([]);
  });

  it('serves the OpenAPI schema without credentials, as YAML and JSON', async () => {
    const yaml = await test.stranger.get('/api/schema/');
    expect(yaml.text).toMatch(/^openapi: "3\.0\.3"\ninfo:\n {2}title:/);
    const json = await test.stranger.get<{ openapi: string; info: { version: string } }>('/api/schema/', {
      headers: { accept: 'application/json' },
    });
    expect([json.body.openapi, json.body.info.version]).toEqual(['3.0.3', '4.6.8']);
    expect(json.text).not.toMatch(/"type":"null"|"type":\[/);
    const newer = await test.stranger.get<{ openapi: string }>('/api/schema/?format=json&version=3.1');
    expect(newer.body.openapi).toBe('3.1.1');
  });

  it('responds 200 at /health/ready with the command that creates the first superuser', async () => {
    await test.inventory.database.query('UPDATE users_user SET is_superuser = false');
    const { status, text } = await test.stranger.get('/health/ready', { unchecked: true });
    expect(status).toBe(200);
    expect(text).toContain('npm run admin -- inventory create-superuser');
  });
});
