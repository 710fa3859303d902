import type { ErrorRenderer } from '@switchboard/errors';
import type { DynamicModule, Type } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyServerOptions } from 'fastify';
import type { PlatformConfig } from '../configuration/platform-environment.js';
import type { ProcessHealth } from '../lifecycle/process-health.js';
import type { Logger } from '../logging/logger.js';
import type { Metrics } from '../metrics/metrics.js';
import type { FindDirectResponse } from './direct-responses.js';

/** Options of Fastify's router that a service may set. */
interface RouterOptions {
  ignoreTrailingSlash?: boolean;
  ignoreDuplicateSlashes?: boolean;
  /**
   * Maximum length of a path parameter in characters. The response to a request with a longer parameter has status 414.
   * Default 500.
   */
  maxParamLength?: number;
  /**
   * Function that parses query strings. The result must have the form of fast-querystring's result: an object with a
   * text, or an array of texts, for each name.
   */
  querystringParser?: (text: string) => Record<string, unknown>;
}

/** Options of {@link createService}: the parts and settings of a service. */
export interface ServiceOptions {
  /** Name of the service in log lines. */
  name: string;
  /** Root module of the Nest application, which imports all other modules. */
  rootModule: Type<unknown> | DynamicModule;
  config: PlatformConfig;
  logger: Logger;
  /**
   * Renderer that converts errors, including errors of the framework, to responses in the format of the service's API.
   */
  errorRenderer: ErrorRenderer;
  metrics: Metrics;
  health: ProcessHealth;
  /**
   * Callback that is called before Nest registers its routes. It can add content-type parsers, hooks, a global prefix
   * or pipes. Fastify's JSON parser is already present. A service that needs parsers for forms and files adds them
   * here.
   */
  configure?(app: NestFastifyApplication, fastify: FastifyInstance): Promise<void> | void;
  /** Function that finds responses, such as cached responses, to send without processing by Fastify. */
  findDirectResponse?: FindDirectResponse;
  /**
   * Name of the HTTP header for request ids. A trusted id is read from this request header, and each response contains
   * the id in it. Default `x-request-id`.
   */
  requestIdHeader?: string;
  /**
   * True if a well-formed id sent by the client is used as the id of the request. Otherwise every request gets a new
   * id.
   */
  trustClientRequestId: boolean;
  /**
   * True to respond with status 204 and the header `Allow` to an OPTIONS request, if its path has routes only for other
   * methods.
   */
  handleOptions?: boolean;
  /** Options of the Fastify server that a service may set. */
  server?: Pick<FastifyServerOptions, 'rewriteUrl' | 'onProtoPoisoning'> & { routerOptions?: RouterOptions };
}
