import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startInventory, type TestInventory } from './support/harness.js';

const browser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };

describe('pages for people', () => {
  let test: TestInventory;
  beforeAll(async () => {
    test = await startInventory();
    await test.api.post('/api/dcim/sites/', { json: { name: '<b>One</b> "&', slug: 'one' } });
  });
  afterAll(() => test.close());

  const page = async (path: string, headers: Record<string, string> = browser) => {
    const answer = await test.api.get(path, { headers, unchecked: true });
    return { ...answer, type: answer.headers['content-type'] };
  };

  it.each(['/api/', '/api/dcim/', '/api/dcim/sites/', '/api/dcim/sites/1/', '/api/status/'])(
    'show %s to a browser, with links that lead on',
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

  it('show what people wrote as text, and load and run nothing', async () => {
    const { text, headers } = await page('/api/dcim/sites/?q=%3Cscript%3E&limit=5');
    expect(text).not.toMatch(/<script|<b>One/);
    const { text: shown } = await page('/api/dcim/sites/');
    expect(shown).toContain('&lt;b&gt;One&lt;/b&gt; \\&quot;&amp;');
    expect(headers['content-security-policy']).toContain("default-src 'none'");
  });

  it('are chosen by the format api, and left by the format json', async () => {
    expect((await page('/api/dcim/sites/?format=api', {})).type).toBe('text/html; charset=utf-8');
    expect((await page('/api/dcim/sites/?format=json')).type).toBe('application/json; charset=utf-8');
    expect((await page('/api/dcim/sites/', { accept: '*/*' })).type).toBe('application/json; charset=utf-8');
    expect((await page('/api/dcim/sites/', { accept: 'application/json, text/html' })).type).toContain('json');
  });

  it.each(['swagger-ui', 'redoc'])(
    'show the schema with %s to whoever asks, from files of this service',
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

  it('have no other files', async () => {
    for (const name of ['index.js', '__proto__', '..%2Fpackage.json']) {
      expect((await test.stranger.get(`/api/schema/assets/${name}`, { unchecked: true })).status).toBe(404);
    }
  });
});
