import type { ErrorRenderer } from '@switchboard/errors';
import type { DynamicModule, Type } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyServerOptions } from 'fastify';
import type { PlatformConfig } from '../configuration/platform-env.js';
import type { Health } from '../lifecycle/health.js';
import type { Logger } from '../logging/logger.js';
import type { Metrics } from '../metrics/metrics.js';

/** Fastify's router settings that are a service's choice. */
interface RouterOptions {
  ignoreTrailingSlash?: boolean;
  ignoreDuplicateSlashes?: boolean;
  /** Longest value of a path parameter, in characters; a longer one gets 414. 500 when absent. */
  maxParamLength?: number;
  /** Fast-querystring's object shape is expected: names to a text or an array of texts. */
  querystringParser?: (text: string) => Record<string, unknown>;
}

/** Parts of a service. */
export interface ServiceOptions {
  /** The service's name, as in logs. */
  name: string;
  /** The Nest module that imports all others. */
  rootModule: Type<unknown> | DynamicModule;
  config: PlatformConfig;
  logger: Logger;
  /** Gives every error, the frame's own included, the shape of this service's API. */
  errorRenderer: ErrorRenderer;
  metrics: Metrics;
  health: Health;
  /**
   * Called before Nest sets up its routes: the place for content-type parsers, hooks, a global prefix, pipes.
   * Fastify's JSON parser is in place; forms and files are the service's own choice.
   */
  configure?(app: NestFastifyApplication, fastify: FastifyInstance): Promise<void> | void;
  /** Header from which a request id is read (when trusted) and in which it is sent; `x-request-id` when absent. */
  requestIdHeader?: string;
  /** Whether a well-formed id that the client sends becomes the request's. Otherwise every request gets a new one. */
  trustClientRequestId: boolean;
  /** Answers OPTIONS on a known path that declares none: 204 with `Allow`. */
  answerOptions?: boolean;
  /** Fastify's own settings that are the service's choice. */
  server?: Pick<FastifyServerOptions, 'rewriteUrl' | 'onProtoPoisoning'> & { routerOptions?: RouterOptions };
}
