import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import { APP_INTERCEPTOR } from '@nestjs/core';
import { AuthModule } from '@switchboard/nest';
import type { FastifyRequest } from 'fastify';
import { getRequestDatabaseWork, setRequestActor } from '@switchboard/platform';
import { AccessRevocation } from '../core/access/access-revocation.js';
import { ApiKeyStore } from '../core/access/api-keys.js';
import { CredentialWatch } from '../core/access/watch-credentials.js';
import { chatOpenApiDocument } from './openapi-document.js';
import { chatErrors } from '../errors.js';
import { ChatEvents } from '../events/chat-events.js';
import { EnvelopeInterceptor } from '../infra/http/envelope.interceptor.js';
import { RequestAuthenticator } from '../core/access/request-authenticator.js';
import { AlertWordAndMuteCache } from '../core/alert-words-and-mutes/index.js';
import { ActiveSubscriberCache } from '../core/channels/index.js';
import { RealmMarkdownSettings } from '../core/realm-markdown-settings/index.js';
import { AdmissionGuard } from '../core/access/admission.guard.js';
import { MailWriter } from '../infra/mail/index.js';
import { TopicLists } from '../features/topics/index.js';
import { RateLimiter } from '../infra/rate-limits/index.js';
import { SnapshotMemory } from '../events/snapshot-memory/index.js';
import type { ChatRuntime } from './runtime.js';
import { serviceSlices, createSliceRuntime, type ServiceSlicesRuntime } from './create-service-slices.js';
import {
  CHAT_CONFIG,
  CLOCK,
  OPENAPI_TEXT,
  CREDENTIALS,
  DATABASE,
  EVENT_LOG,
  OUTBOX,
  RENDERER,
  SERVER_GENERATION,
} from '../tokens.js';

/** Root module of API processes. The chat runtime creates all objects that exist longer than a request. */
@Module({})
export class AppModule {
  /**
   * Returns the root module of one process for the given runtime.
   *
   * @param background modules with the background work of the process
   */
  static forRuntime(runtime: ChatRuntime, background: readonly DynamicModule[]): DynamicModule {
    const { NODE_ENV: mode } = runtime.config;
    const services = createSliceRuntime(runtime);
    return {
      module: AppModule,
      imports: [
        runtimeModule(services),
        authModule(runtime),
        ...background,
        ...serviceSlices.map((slice) => slice.module(services, mode)),
      ],
      providers: [{ provide: APP_INTERCEPTOR, useClass: EnvelopeInterceptor }],
    };
  }
}

/** Nest module that provides objects of the process to other modules, such as the database and the event log. */
@Module({})
class RuntimeModule {}

function runtimeModule(runtime: ServiceSlicesRuntime): DynamicModule {
  const providers: Provider[] = [
    { provide: CHAT_CONFIG, useValue: runtime.config },
    { provide: OPENAPI_TEXT, useValue: openApiText },
    { provide: CLOCK, useValue: runtime.clock },
    { provide: CREDENTIALS, useValue: runtime.credentials },
    { provide: DATABASE, useValue: runtime.database },
    { provide: OUTBOX, useValue: runtime.outbox },
    { provide: EVENT_LOG, useValue: runtime.eventLog },
    { provide: RENDERER, useValue: runtime.renderer },
    { provide: SERVER_GENERATION, useValue: runtime.serverGeneration },
    { provide: MailWriter, useValue: new MailWriter(runtime.outbox, runtime.secrets) },
    { provide: ApiKeyStore, useValue: runtime.apiKeys },
    { provide: CredentialWatch, useValue: runtime.credentialWatch },
    { provide: RequestAuthenticator, useValue: runtime.authenticator },
    { provide: AlertWordAndMuteCache, useValue: runtime.attention },
    { provide: RealmMarkdownSettings, useValue: runtime.realmContents },
    { provide: SnapshotMemory, useValue: runtime.parts },
    { provide: ActiveSubscriberCache, useValue: runtime.subscribers },
    { provide: TopicLists, useValue: runtime.topicLists },
    { provide: RateLimiter, useValue: runtime.rateLimiter },
    { provide: ChatEvents, useValue: runtime.events },
    AccessRevocation,
  ];
  return { module: RuntimeModule, global: true, providers, exports: providers };
}

let cachedOpenApiText: string | undefined;

/**
 * Returns the OpenAPI document as JSON text. Creates the text at the first request, because serializing takes a tenth
 * of a second.
 */
function openApiText(): string {
  return (cachedOpenApiText ??= JSON.stringify(chatOpenApiDocument()));
}

/** Root module of worker processes, which serve health checks and metrics but no API. */
@Module({})
export class WorkerModule {
  /** Returns the root module of a worker process with the given background modules. */
  static forBackgroundModules(background: readonly DynamicModule[]): DynamicModule {
    return { module: WorkerModule, imports: [...background] };
  }
}

/** Returns the module that authenticates requests and applies the rate limits of the request's account or address. */
function authModule({ authenticator, rateLimiter }: ChatRuntime): DynamicModule {
  return AuthModule.forRoot({
    authenticate: async (request: FastifyRequest) => {
      const actor = await authenticator.authenticate(request);
      if (actor === null) return null;
      getRequestDatabaseWork()?.setUser(`user ${actor.id}`);
      setRequestActor(actor);
      return actor;
    },
    unauthenticated: () => chatErrors.create('UNAUTHORIZED'),
    createGuard: (authentication) => new AdmissionGuard(authentication, rateLimiter),
  });
}
