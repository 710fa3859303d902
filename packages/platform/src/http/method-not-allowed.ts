import type { ErrorRenderer } from '@switchboard/errors';
import type { RouteTable } from './route-table.js';

/**
 * Returns an error renderer that wraps the given renderer. If a path exists with another HTTP method, the wrapper
 * changes status 404 into 405. It adds the `Allow` header, which RFC 9110 section 15.5.6 requires. The wrapper passes
 * the methods of the path to the given renderer's `fromHttp` in `context.allowedMethods`.
 *
 * @param options `handlesOptions`: the service responds to OPTIONS on every path, so that `Allow` includes it
 */
export function toMethodNotAllowedError(
  renderer: ErrorRenderer,
  routes: RouteTable,
  { handlesOptions }: { readonly handlesOptions: boolean },
): ErrorRenderer {
  return {
    fromHttp(status, message, context) {
      const allowedMethods = status === 404 || status === 405 ? routes.listAllowedMethods(context.url) : [];
      const otherMethod = allowedMethods.length > 0 && !allowedMethods.includes(context.method);
      return status === 404 && otherMethod
        ? renderer.fromHttp(405, `Method ${context.method} is not allowed`, { ...context, allowedMethods })
        : renderer.fromHttp(status, message, { ...context, allowedMethods });
    },
    render(error, context) {
      const rendered = renderer.render(error, context);
      if (rendered.status !== 405) {
        return rendered;
      }
      const allowed = new Set(routes.listAllowedMethods(context.url));
      if (handlesOptions && allowed.size > 0) {
        allowed.add('OPTIONS');
      }
      return { ...rendered, headers: { allow: [...allowed].toSorted().join(', '), ...rendered.headers } };
    },
    unknown: (requestId) => renderer.unknown(requestId),
  };
}
