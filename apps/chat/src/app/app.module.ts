import { type DynamicModule, Module } from '@nestjs/common';
import { APP_GUARD, APP_INTERCEPTOR } from '@nestjs/core';
import { createAuthGuard } from '@switchboard/auth';
import type { FastifyRequest } from 'fastify';
import { currentWork } from '@switchboard/platform';
import { ApiKeys } from '../core/access/api-keys.js';
import { SessionWatch } from '../core/access/session-watch.js';
import { chatContract } from './contract.js';
import { controllersOf } from './controllers.js';
import { chatErrors } from '../errors.js';
import { EnvelopeInterceptor } from '../infra/http/envelope.interceptor.js';
import type { RequestAuthenticator } from '../core/access/request-authenticator.js';
import { Attention } from '../core/attention/index.js';
import { ActiveSubscribers } from '../core/channels/index.js';
import { RealmContents } from '../core/realm-content/index.js';
import { fileProviders } from '../features/uploads/index.js';
import { AdmissionGuard } from '../core/access/admission.guard.js';
import { RateLimiter } from '../infra/rate-limits/index.js';
import { PartMemory } from '../events/snapshot-memory/index.js';
import type { ChatRuntime } from './runtime.js';
import {
  CHAT_CONFIG,
  CLOCK,
  CONTRACT_TEXT,
  CREDENTIALS,
  DATABASE,
  EVENT_LOG,
  OUTBOX,
  RENDERER,
  SERVER_GENERATION,
} from '../tokens.js';
import { actions } from './actions.js';

/** The root module of the service. Everything that lives longer than a request comes from the runtime. */
@Module({})
export class AppModule {
  /** The module over one process's connections. */
  static over(runtime: ChatRuntime): DynamicModule {
    return {
      module: AppModule,
      controllers: controllersOf(runtime.config),
      providers: [
        { provide: CHAT_CONFIG, useValue: runtime.config },
        { provide: CONTRACT_TEXT, useValue: contractText },
        { provide: CLOCK, useValue: runtime.clock },
        { provide: CREDENTIALS, useValue: runtime.credentials },
        { provide: DATABASE, useValue: runtime.database },
        { provide: OUTBOX, useValue: runtime.outbox },
        { provide: EVENT_LOG, useValue: runtime.eventLog },
        { provide: RENDERER, useValue: runtime.renderer },
        { provide: SERVER_GENERATION, useValue: runtime.serverGeneration },
        { provide: ApiKeys, useValue: runtime.apiKeys },
        { provide: SessionWatch, useValue: runtime.sessionWatch },
        { provide: Attention, useValue: runtime.attention },
        { provide: RealmContents, useValue: runtime.realmContents },
        { provide: PartMemory, useValue: runtime.parts },
        { provide: ActiveSubscribers, useValue: runtime.subscribers },
        { provide: RateLimiter, useValue: runtime.rateLimiter },
        { provide: APP_GUARD, useValue: new AdmissionGuard(authGuard(runtime.authenticator), runtime.rateLimiter) },
        { provide: APP_INTERCEPTOR, useClass: EnvelopeInterceptor },
        ...fileProviders(runtime),
        ...actions,
      ],
    };
  }
}

let writtenContract: string | undefined;

/** Writes the document once, at the first request for it, because that takes a tenth of a second. */
function contractText(): string {
  return (writtenContract ??= JSON.stringify(chatContract()));
}

/** A process that only works off queues: health and metrics, no API. */
@Module({})
export class WorkerModule {}

function authGuard(authenticator: RequestAuthenticator) {
  return createAuthGuard({
    authenticate: async (request: FastifyRequest) => {
      const actor = await authenticator.authenticate(request);
      if (actor !== null) currentWork()?.identify(`user ${actor.id}`);
      return actor;
    },
    unauthenticated: () => chatErrors.create('UNAUTHORIZED'),
  });
}
