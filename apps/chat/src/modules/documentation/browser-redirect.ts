import type { FastifyInstance } from 'fastify';

/** Roots of the API, at which there is nothing but what the front page says. */
const apiRoot = /^\/(api(\/v1)?|json)\/?$/;
const apiPath = /^\/(api|json)\//;

/** Redirects a browser that opens a page which does not exist to the front page. Requests of the API get their 404. */
export function redirectBrowsers(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    const wantsPage = request.headers.accept?.includes('text/html') === true;
    const [path = ''] = request.originalUrl.split('?', 1);
    if (request.is404 && isRead && wantsPage && (apiRoot.test(path) || !apiPath.test(path))) {
      reply.redirect('/', 302);
      return;
    }
    done();
  });
}
