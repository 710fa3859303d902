import type { ErrorRenderer } from '@switchboard/errors';
import type { DynamicModule, Type } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyServerOptions } from 'fastify';
import type { PlatformConfig } from '../configuration/platform-environment.js';
import type { ProcessHealth } from '../lifecycle/process-health.js';
import type { Logger } from '../logging/logger.js';
import type { Metrics } from '../metrics/metrics.js';
import type { FindDirectResponse } from './direct-responses.js';

/** Options of Fastify's router that a service may choose. */
interface RouterOptions {
  ignoreTrailingSlash?: boolean;
  ignoreDuplicateSlashes?: boolean;
  /** Maximum length of a path parameter in characters. A request with a longer parameter gets 414. Default 500. */
  maxParamLength?: number;
  /**
   * Function that parses query strings. The result must have the form of fast-querystring's result: an object with a
   * text, or an array of texts, for each name.
   */
  querystringParser?: (text: string) => Record<string, unknown>;
}

/** Options of {@link createService}: the parts and settings of a service. */
export interface ServiceOptions {
  /** Name of the service in logs. */
  name: string;
  /** Nest module that imports all others. */
  rootModule: Type<unknown> | DynamicModule;
  config: PlatformConfig;
  logger: Logger;
  /** Converts errors, including those of the framework, to responses in the format of the service's API. */
  errorRenderer: ErrorRenderer;
  metrics: Metrics;
  health: ProcessHealth;
  /**
   * Called before Nest registers its routes, to add content-type parsers, hooks, a global prefix or pipes. Fastify's
   * JSON parser is already present; the service adds parsers for forms and files if it needs them.
   */
  configure?(app: NestFastifyApplication, fastify: FastifyInstance): Promise<void> | void;
  /** Finds responses that are sent before Fastify processes the request, such as cached ones. */
  findDirectResponse?: FindDirectResponse;
  /** Name of the header from which a trusted request id is read and in which the id is sent. Default `x-request-id`. */
  requestIdHeader?: string;
  /**
   * True to use a well-formed id sent by the client as the id of the request. Otherwise every request gets a new id.
   */
  trustClientRequestId: boolean;
  /** True to respond with 204 and `Allow` to OPTIONS on a path that has routes only for other methods. */
  handleOptions?: boolean;
  /** Options of the Fastify server that the service chooses. */
  server?: Pick<FastifyServerOptions, 'rewriteUrl' | 'onProtoPoisoning'> & { routerOptions?: RouterOptions };
}
