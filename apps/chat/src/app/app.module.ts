import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import { APP_INTERCEPTOR } from '@nestjs/core';
import { AuthModule } from '@switchboard/nest';
import type { FastifyRequest } from 'fastify';
import { getRequestDatabaseWork, setRequestActor } from '@switchboard/platform';
import { AccessRevocation } from '../core/access/access-revocation.js';
import { ApiKeyStore } from '../core/access/api-keys.js';
import { CredentialRevocationWatcher } from '../core/access/watch-credentials.js';
import { createChatOpenApiDocument } from './openapi-document.js';
import { chatErrors } from '../errors.js';
import { ChatEventWriter } from '../events/chat-events.js';
import { ResponseEnvelopeInterceptor } from '../infra/http/envelope.interceptor.js';
import { RequestAuthenticator } from '../core/access/request-authenticator.js';
import { AlertWordAndMuteCache } from '../core/alert-words-and-mutes/index.js';
import { ActiveSubscriberCache } from '../core/channels/index.js';
import { RealmMarkdownSettingsCache } from '../core/realm-markdown-settings/index.js';
import { AuthenticationAndRateLimitGuard } from '../core/access/admission.guard.js';
import { OutgoingMailWriter } from '../infra/mail/index.js';
import { TopicListCache } from '../features/topics/index.js';
import { RateLimiter } from '../infra/rate-limits/index.js';
import { SnapshotDataCache } from '../events/snapshot-memory/index.js';
import type { ChatRuntime } from './runtime.js';
import {
  createFeatureModules,
  createFeatureModulesRuntime,
  type FeatureModulesRuntime,
} from './create-service-slices.js';
import {
  CHAT_CONFIG_TOKEN,
  CLOCK_TOKEN,
  OPENAPI_TEXT_FUNCTION_TOKEN,
  CREDENTIALS_TOKEN,
  DATABASE_TOKEN,
  EVENT_LOG_TOKEN,
  OUTBOX_TOKEN,
  MESSAGE_RENDERER_TOKEN,
  SERVER_GENERATION_TOKEN,
} from '../tokens.js';

/** Root module of API processes. The chat runtime creates all objects that exist longer than a request. */
@Module({})
export class ChatApiModule {
  /**
   * Returns the root module of one process for the given runtime.
   *
   * @param background modules with the background work of the process
   */
  static createForRuntime(runtime: ChatRuntime, background: readonly DynamicModule[]): DynamicModule {
    const { NODE_ENV: mode } = runtime.config;
    const services = createFeatureModulesRuntime(runtime);
    return {
      module: ChatApiModule,
      imports: [
        createRuntimeModule(services),
        createAuthenticationModule(runtime),
        ...background,
        ...createFeatureModules.map((slice) => slice.module(services, mode)),
      ],
      providers: [{ provide: APP_INTERCEPTOR, useClass: ResponseEnvelopeInterceptor }],
    };
  }
}

/** Nest module that provides objects of the process to other modules, such as the database and the event log. */
@Module({})
class ChatRuntimeModule {}

function createRuntimeModule(runtime: FeatureModulesRuntime): DynamicModule {
  const providers: Provider[] = [
    { provide: CHAT_CONFIG_TOKEN, useValue: runtime.config },
    { provide: OPENAPI_TEXT_FUNCTION_TOKEN, useValue: getOpenApiJsonText },
    { provide: CLOCK_TOKEN, useValue: runtime.clock },
    { provide: CREDENTIALS_TOKEN, useValue: runtime.credentials },
    { provide: DATABASE_TOKEN, useValue: runtime.database },
    { provide: OUTBOX_TOKEN, useValue: runtime.outbox },
    { provide: EVENT_LOG_TOKEN, useValue: runtime.eventLog },
    { provide: MESSAGE_RENDERER_TOKEN, useValue: runtime.renderer },
    { provide: SERVER_GENERATION_TOKEN, useValue: runtime.serverGeneration },
    { provide: OutgoingMailWriter, useValue: new OutgoingMailWriter(runtime.outbox, runtime.secrets) },
    { provide: ApiKeyStore, useValue: runtime.apiKeys },
    { provide: CredentialRevocationWatcher, useValue: runtime.credentialWatch },
    { provide: RequestAuthenticator, useValue: runtime.authenticator },
    { provide: AlertWordAndMuteCache, useValue: runtime.attention },
    { provide: RealmMarkdownSettingsCache, useValue: runtime.realmContents },
    { provide: SnapshotDataCache, useValue: runtime.parts },
    { provide: ActiveSubscriberCache, useValue: runtime.subscribers },
    { provide: TopicListCache, useValue: runtime.topicLists },
    { provide: RateLimiter, useValue: runtime.rateLimiter },
    { provide: ChatEventWriter, useValue: runtime.events },
    AccessRevocation,
  ];
  return { module: ChatRuntimeModule, global: true, providers, exports: providers };
}

let cachedOpenApiText: string | undefined;

/**
 * Returns the OpenAPI document as JSON text. Creates the text at the first request, because serializing takes a tenth
 * of a second.
 */
function getOpenApiJsonText(): string {
  return (cachedOpenApiText ??= JSON.stringify(createChatOpenApiDocument()));
}

/** Root module of worker processes, which serve health checks and metrics but no API. */
@Module({})
export class ChatWorkerModule {
  /** Returns the root module of a worker process with the given background modules. */
  static forBackgroundModules(background: readonly DynamicModule[]): DynamicModule {
    return { module: ChatWorkerModule, imports: [...background] };
  }
}

/** Returns the module that authenticates requests and applies the rate limits of the request's account or address. */
function createAuthenticationModule({ authenticator, rateLimiter }: ChatRuntime): DynamicModule {
  return AuthModule.forRoot({
    authenticate: async (request: FastifyRequest) => {
      const actor = await authenticator.authenticate(request);
      if (actor === null) return null;
      getRequestDatabaseWork()?.setUser(`user ${actor.id}`);
      setRequestActor(actor);
      return actor;
    },
    unauthenticated: () => chatErrors.create('UNAUTHORIZED'),
    createGuard: (authentication) => new AuthenticationAndRateLimitGuard(authentication, rateLimiter),
  });
}
