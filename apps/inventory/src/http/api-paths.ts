import type { ModelRegistry } from '../engine/declaration/model-registry.js';
import type { ApiFeatureModule } from './define-slice.js';

const objectDetailPathPattern = /^\/api\/([a-z-]+\/[a-z0-9-]+)\/([^/]+)\/$/;
const objectListPathPattern = /^\/api\/([a-z-]+\/[a-z0-9-]+)\/$/;

/** Looks up the URL paths of the API that models and slices (feature modules) provide. */
export class ApiPaths {
  constructor(
    readonly registry: ModelRegistry,
    readonly slices: readonly ApiFeatureModule[],
  ) {}

  /** Returns the HTTP methods that requests of a URL path may use. */
  getAllowedMethods(path: string): readonly string[] {
    for (const { methods } of this.slices) {
      const own = methods.find((one) => one.path.test(path));
      if (own !== undefined) return own.methods;
    }
    const list = this.registry.findByPath(objectListPathPattern.exec(path)?.[1] ?? '');
    if (list !== null) return list.methods.list;
    const detail = this.registry.findByPath(objectDetailPathPattern.exec(path)?.[1] ?? '');
    if (detail !== null) return detail.methods.detail;
    return ['GET', 'HEAD', 'OPTIONS'];
  }

  /** Returns true if the response to a request of a URL path can be plain text. */
  canRespondWithText(path: string): boolean {
    return this.slices.some(({ textPaths }) => textPaths.some((pattern) => pattern.test(path)));
  }

  /** URL paths below `/api/` that the API lists at the root path of their app, such as `/api/dcim/`. */
  get pathsByApp(): string[] {
    return [
      ...this.registry.servedModels.map(({ path }) => path),
      ...this.slices.flatMap(({ listedPaths }) => listedPaths),
    ];
  }
}
