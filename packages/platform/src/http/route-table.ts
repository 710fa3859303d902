import type { FastifyInstance } from 'fastify';

interface RoutePattern {
  segments: string[];
  methods: Set<string>;
}

/**
 * Table of paths with the HTTP methods for which each path has a route. The table is used only for requests without a
 * route, so that slow lookups are acceptable. Fastify's router finds routes only by method and path together.
 */
export class RouteTable {
  readonly #patterns = new Map<string, RoutePattern>();

  /** Records every route that is registered on the server after this call. */
  recordRoutes(fastify: FastifyInstance): void {
    fastify.addHook('onRoute', (route) => {
      const pattern = this.#patterns.get(route.url) ?? { segments: route.url.split('/'), methods: new Set<string>() };
      for (const method of [route.method].flat()) {
        pattern.methods.add(method);
      }
      this.#patterns.set(route.url, pattern);
    });
  }

  /** Returns the HTTP methods of the routes at a URL's path, in sorted order; empty if no route has the path. */
  listAllowedMethods(url: string): string[] {
    const end = url.search(/[?#]/);
    const segments = (end < 0 ? url : url.slice(0, end)).split('/');
    const found = new Set<string>();
    for (const pattern of this.#patterns.values()) {
      if (matchesPattern(pattern.segments, segments)) {
        pattern.methods.forEach((method) => found.add(method));
      }
    }
    return [...found].toSorted();
  }
}

function matchesPattern(pattern: string[], segments: string[]): boolean {
  for (const [index, part] of pattern.entries()) {
    if (part === '*') {
      return segments.length > index;
    }
    const segment = segments[index];
    if (segment === undefined || (part.includes(':') ? segment === '' : part !== segment)) {
      return false;
    }
  }
  return pattern.length === segments.length;
}
