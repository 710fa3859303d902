import type { Type } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { ModelRegistry } from '../engine/declaration/model-registry.js';
import type { JsonSchema } from '../engine/meta/json-schema-of-values.js';
import type { OpenApiNode } from '../engine/meta/openapi-of-models.js';
import type { InventoryContext } from './inventory-context.js';
import type { ResourceCall } from '../resources/resource-service.js';

/** HTTP methods that are allowed for URL paths, with the pattern that the paths match. */
export interface PathMethods {
  readonly path: RegExp;
  readonly methods: readonly string[];
}

/** OpenAPI paths and component schemas that a slice (feature module) adds to the OpenAPI document. */
interface OpenApiAddition {
  readonly paths: Readonly<Record<string, object>>;
  readonly schemas?: Readonly<Record<string, JsonSchema>>;
}

/** Parts of the OpenAPI document that are generated from the declarations of the models. */
interface ModelOpenApi {
  readonly registry: ModelRegistry;
  readonly paths: Readonly<Record<string, OpenApiNode>>;
  readonly schemas: Readonly<Record<string, JsonSchema>>;
}

/** Extension of the GET requests that read the lists of all models, such as a response by export template. */
export interface ListExtension {
  /** Returns the list request with further filters added, before the list is read. */
  readonly prepare?: (call: ResourceCall) => Promise<ResourceCall>;
  /** Sends a special response instead of the list. Returns false if nothing was sent and the list must be sent. */
  readonly send?: (call: ResourceCall, reply: FastifyReply) => Promise<boolean>;
}

/** Endpoints, OpenAPI paths and list extensions that a slice (feature module) adds to the service. */
export interface SliceOptions {
  readonly controllers?: readonly Type[];
  /**
   * Allowed HTTP methods for URL paths of a slice (feature module). Needed for paths whose methods differ from GET,
   * HEAD and OPTIONS.
   */
  readonly methods?: readonly PathMethods[];
  /**
   * URL paths below `/api/` that the API lists at the root path of their app, in addition to the paths of the app's
   * models.
   */
  readonly listedPaths?: readonly string[];
  /** Regular expressions of URL paths for which the response can be plain text. */
  readonly textPaths?: readonly RegExp[];
  readonly openApi?: (models: ModelOpenApi) => OpenApiAddition;
  readonly lists?: (parts: InventoryContext) => ListExtension;
}

/** A slice (feature module) in which all optional properties have a value. */
export interface ApiSlice
  extends Required<Omit<SliceOptions, 'openApi' | 'lists'>>, Pick<SliceOptions, 'openApi' | 'lists'> {
  /** Name of the source folder of a slice (feature module). */
  readonly name: string;
}

/**
 * Declares the parts that a slice (feature module) adds to the service: endpoints, their OpenAPI description, and
 * extensions of lists.
 */
export function defineSlice(name: string, parts: SliceOptions): ApiSlice {
  return { name, controllers: [], methods: [], listedPaths: [], textPaths: [], ...parts };
}
