import type { Type } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { ModelRegistry } from '../engine/declaration/model-registry.js';
import type { JsonSchema } from '../engine/meta/json-schema-of-values.js';
import type { OpenApiNode } from '../engine/meta/openapi-of-models.js';
import type { InventoryContext } from './inventory-context.js';
import type { ResourceCall } from '../resources/resource-service.js';

/** Allowed HTTP methods of the URL paths that match a pattern. */
export interface PathMethods {
  readonly path: RegExp;
  readonly methods: readonly string[];
}

/** Paths and component schemas that a slice adds to the OpenAPI document. */
interface OpenApiAddition {
  readonly paths: Readonly<Record<string, object>>;
  readonly schemas?: Readonly<Record<string, JsonSchema>>;
}

/** Parts of the OpenAPI document that are generated from the models. */
interface ModelOpenApi {
  readonly registry: ModelRegistry;
  readonly paths: Readonly<Record<string, OpenApiNode>>;
  readonly schemas: Readonly<Record<string, JsonSchema>>;
}

/** Extension of GET requests for the lists of all models, such as export templates. */
export interface ListExtension {
  /** Returns the list request with further filters added. */
  readonly prepare?: (call: ResourceCall) => Promise<ResourceCall>;
  /** Sends another response instead of the list. Returns false if the list must be sent. */
  readonly send?: (call: ResourceCall, reply: FastifyReply) => Promise<boolean>;
}

/** Endpoints, OpenAPI paths and extensions that a slice adds to the service. */
export interface SliceOptions {
  readonly controllers?: readonly Type[];
  /** Allowed HTTP methods of the slice's paths, if they differ from GET, HEAD and OPTIONS. */
  readonly methods?: readonly PathMethods[];
  /** URL paths below `/api/` that the root endpoint of their app lists in addition to the app's models. */
  readonly listedPaths?: readonly string[];
  /** Patterns of URL paths that can have a plain text response. */
  readonly textPaths?: readonly RegExp[];
  readonly openApi?: (models: ModelOpenApi) => OpenApiAddition;
  readonly lists?: (parts: InventoryContext) => ListExtension;
}

/** A slice in which all optional parts have a value. */
export interface ApiSlice
  extends Required<Omit<SliceOptions, 'openApi' | 'lists'>>, Pick<SliceOptions, 'openApi' | 'lists'> {
  /** Name of the slice's folder. */
  readonly name: string;
}

/** Declares what a slice adds to the service: endpoints, their OpenAPI description, and extensions of lists. */
export function defineSlice(name: string, parts: SliceOptions): ApiSlice {
  return { name, controllers: [], methods: [], listedPaths: [], textPaths: [], ...parts };
}
