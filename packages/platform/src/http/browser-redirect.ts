import type { FastifyInstance } from 'fastify';

/**
 * Redirects a browser that requests a missing page to the front page. API requests without a route get status 404.
 *
 * @param isPage returns true if a path, without its query, is outside the API
 */
export function redirectBrowsersToFrontPage(fastify: FastifyInstance, isPage: (path: string) => boolean): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    const wantsPage = request.headers.accept?.includes('text/html') === true;
    const [path = ''] = request.originalUrl.split('?', 1);
    // A process without a front page, such as a worker, must not redirect to it endlessly.
    if (request.is404 && isRead && wantsPage && path !== '/' && isPage(path)) {
      reply.redirect('/', 302);
      return;
    }
    done();
  });
}
