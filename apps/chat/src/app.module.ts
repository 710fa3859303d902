import { type DynamicModule, Module } from '@nestjs/common';
import { APP_GUARD, APP_INTERCEPTOR } from '@nestjs/core';
import { createAuthGuard } from '@switchboard/auth';
import type { FastifyRequest } from 'fastify';
import { ApiKeys } from './access/api-keys.js';
import type { Authenticator } from './access/authenticator.js';
import { controllersOf } from './controllers.js';
import { chatErrors } from './errors.js';
import { ChatEvents } from './events/chat-events.js';
import { EnvelopeInterceptor } from './http/envelope.interceptor.js';
import { SignIn } from './modules/authentication/index.js';
import { PollEvents, RegisterQueue } from './modules/event-queues/index.js';
import { ClientNames, ListMessages, SendMessage } from './modules/messages/index.js';
import { GetServerSettings } from './modules/realms/index.js';
import { ReadUsers } from './modules/users/index.js';
import type { ChatRuntime } from './runtime.js';
import { CHAT_CONFIG, DATABASE, EVENT_LOG, RENDERER, SERVER_GENERATION } from './tokens.js';

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
        { provide: DATABASE, useValue: runtime.database },
        { provide: EVENT_LOG, useValue: runtime.eventLog },
        { provide: RENDERER, useValue: runtime.renderer },
        { provide: SERVER_GENERATION, useValue: runtime.serverGeneration },
        { provide: ApiKeys, useValue: runtime.apiKeys },
        { provide: APP_GUARD, useValue: authGuard(runtime.authenticator) },
        { provide: APP_INTERCEPTOR, useClass: EnvelopeInterceptor },
        ChatEvents,
        ClientNames,
        GetServerSettings,
        ListMessages,
        PollEvents,
        ReadUsers,
        RegisterQueue,
        SendMessage,
        SignIn,
      ],
    };
  }
}

/** A process that only works off queues: health and metrics, no API. */
@Module({})
export class WorkerModule {}

function authGuard(authenticator: Authenticator) {
  return createAuthGuard({
    authenticate: (request: FastifyRequest) =>
      authenticator.authenticate(request.headers.authorization, request.hostname),
    unauthenticated: () => chatErrors.create('UNAUTHORIZED'),
  });
}
