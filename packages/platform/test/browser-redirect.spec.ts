import { fastify } from 'fastify';
import { expect, it } from 'vitest';
import { redirectBrowsersToFrontPage } from '../src/index.js';

it('redirectBrowsersToFrontPage responds 404 to a front page that does not exist', async () => {
  const server = fastify();
  redirectBrowsersToFrontPage(server, () => true);
  const open = async (url: string): Promise<unknown[]> => {
    const { statusCode, headers } = await server.inject({ url, headers: { accept: 'text/html' } });
    return [statusCode, headers.location];
  };
  expect(await open('/unknown')).toEqual([302, '/']);
  expect(await open('/?next=1')).toEqual([404, undefined]);
});
