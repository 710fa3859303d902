import { AuthModule } from '@switchboard/nest';
import { type DynamicModule, Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import { getRequestDatabaseWork, setRequestActor } from '@switchboard/platform';
import { SessionStore } from './auth/session-store.js';
import { actorWithoutCredentials } from './auth/anonymous-actor.js';
import type { InventoryActor } from './engine/object-access.js';
import { ModelRegistry } from './engine/declaration/model-registry.js';
import { inventoryErrors } from './errors.js';
import { ApiPaths } from './http/api-paths.js';
import { sessionCookie } from './http/cookies.js';
import { checkCsrfToken } from './http/check-csrf-token.js';
import { ApiMetadataController } from './http/meta.controller.js';
import { createResponseFormatGuard } from './http/negotiation.guard.js';
import { INVENTORY_CONTEXT, type InventoryContext } from './http/inventory-context.js';
import { RenderingQueue } from './http/rendering-queue.js';
import { RepeatedRequestCache } from './http/repeated-request-cache.js';
import { ModelResourceController } from './http/model-resource.controller.js';
import { ModelResourceService } from './resources/model-resource-service.js';
import { ApiDocumentationController } from './http/schema-pages.controller.js';
import type { InventoryServices } from './open-inventory.js';
import { MediaController } from './media/media.controller.js';

/** Options of the root module of an API process. */
interface ApiModuleOptions {
  readonly api: ApiPaths;
  readonly repeatedReads: RepeatedRequestCache;
  /** Nest modules that run the background work of the process. */
  readonly background: readonly DynamicModule[];
}

/** Root Nest module of an API process, with the controllers, guards and filters of all endpoints. */
@Module({})
export class AppModule {
  /**
   * Creates the root Nest module of the API with all controllers. The module uses the connections of an opened
   * inventory service.
   */
  static createInventoryApiModule(
    inventory: InventoryServices,
    { api, repeatedReads, background }: ApiModuleOptions,
  ): DynamicModule {
    const parts: InventoryContext = {
      ...inventory,
      pepper: inventory.keys.pepper,
      pageSizes: { defaultSize: inventory.config.PAGINATE_COUNT, largest: inventory.config.MAX_PAGE_SIZE },
      templateLimits: { timeoutMs: inventory.config.TEMPLATE_TIMEOUT_MS },
      renderingTurns: new RenderingQueue(),
      sessionSeconds: inventory.config.LOGIN_TIMEOUT,
    };
    const { authenticator, config } = inventory;
    const sessions = new SessionStore(inventory.database.authentication);
    const authentication = AuthModule.forRoot<FastifyRequest, InventoryActor>({
      authenticate: async (request) => {
        const actor =
          (await findSessionActor(request, sessions)) ??
          (await authenticator.authenticateRequest({
            authorization: request.headers.authorization,
            address: request.ip,
          }));
        if (actor === null) return config.LOGIN_REQUIRED ? null : actorWithoutCredentials;
        getRequestDatabaseWork()?.setUser(`user ${actor.id}`);
        setRequestActor(actor);
        return actor;
      },
      unauthenticated: () => inventoryErrors.create('NOT_AUTHENTICATED'),
    });
    return {
      module: AppModule,
      // Guards of the root module precede those of imported modules.
      imports: [authentication, ...background],
      // Fixed paths must precede the generic ones.
      controllers: [
        ...api.slices.flatMap(({ controllers }) => controllers),
        ApiDocumentationController,
        ApiMetadataController,
        MediaController,
        ModelResourceController,
      ],
      providers: [
        { provide: APP_GUARD, useValue: createResponseFormatGuard(api) },
        { provide: INVENTORY_CONTEXT, useValue: parts },
        { provide: ModelRegistry, useValue: inventory.registry },
        { provide: ApiPaths, useValue: api },
        { provide: ModelResourceService, useValue: new ModelResourceService(inventory) },
        { provide: RepeatedRequestCache, useValue: repeatedReads },
      ],
    };
  }
}

/**
 * Returns the actor of the browser session that a request belongs to, or null without a session. A request that changes
 * data must repeat the session's CSRF token (docs/contract/inventory.md 1.2).
 */
async function findSessionActor(request: FastifyRequest, sessions: SessionStore): Promise<InventoryActor | null> {
  const cookie = request.cookies[sessionCookie] ?? '';
  const session = cookie === '' ? null : await sessions.findSession(cookie);
  if (session !== null) checkCsrfToken(request, session.csrfToken);
  return session?.actor ?? null;
}

/** Root Nest module of worker processes, which serve health checks and metrics but no API. */
@Module({})
export class WorkerModule {
  /** Returns the root Nest module of a worker process with the given background modules. */
  static createWorkerModule(background: readonly DynamicModule[]): DynamicModule {
    return { module: WorkerModule, imports: [...background] };
  }
}
