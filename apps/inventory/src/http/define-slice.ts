import type { Type } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { ModelRegistry } from '../engine/declaration/model-registry.js';
import type { JsonSchema } from '../engine/meta/json-schema-of-values.js';
import type { OpenApiPathItem } from '../engine/meta/openapi-of-models.js';
import type { InventoryContext } from './inventory-context.js';
import type { ModelResourceCall } from '../resources/model-resource-service.js';

/** HTTP methods that are allowed for URL paths, with the pattern that the paths match. */
export interface AllowedPathMethods {
  readonly path: RegExp;
  readonly methods: readonly string[];
}

/** OpenAPI paths and component schemas that a slice (feature module) adds to the OpenAPI document. */
interface FeatureModuleOpenApi {
  readonly paths: Readonly<Record<string, object>>;
  readonly schemas?: Readonly<Record<string, JsonSchema>>;
}

/** Parts of the OpenAPI document that are generated from the declarations of the models. */
interface GeneratedModelOpenApi {
  readonly registry: ModelRegistry;
  readonly paths: Readonly<Record<string, OpenApiPathItem>>;
  readonly schemas: Readonly<Record<string, JsonSchema>>;
}

/** Extension of the GET requests that read the lists of all models, such as a response by export template. */
export interface ListRequestExtension {
  /** Returns the list request with further filters added, before the list is read. */
  readonly prepare?: (call: ModelResourceCall) => Promise<ModelResourceCall>;
  /** Sends a special response instead of the list. Returns false if nothing was sent and the list must be sent. */
  readonly send?: (call: ModelResourceCall, reply: FastifyReply) => Promise<boolean>;
}

/** Endpoints, OpenAPI paths and list extensions that a slice (feature module) adds to the service. */
export interface FeatureModuleOptions {
  readonly controllers?: readonly Type[];
  /**
   * Allowed HTTP methods for URL paths of a slice (feature module). Needed for paths whose methods differ from GET,
   * HEAD and OPTIONS.
   */
  readonly methods?: readonly AllowedPathMethods[];
  /**
   * URL paths below `/api/` that the API lists at the root path of their app, in addition to the paths of the app's
   * models.
   */
  readonly listedPaths?: readonly string[];
  /** Regular expressions of URL paths for which the response can be plain text. */
  readonly textPaths?: readonly RegExp[];
  readonly openApi?: (models: GeneratedModelOpenApi) => FeatureModuleOpenApi;
  readonly lists?: (parts: InventoryContext) => ListRequestExtension;
}

/** A slice (feature module) in which all optional properties have a value. */
export interface ApiFeatureModule
  extends Required<Omit<FeatureModuleOptions, 'openApi' | 'lists'>>, Pick<FeatureModuleOptions, 'openApi' | 'lists'> {
  /** Name of the source folder of a slice (feature module). */
  readonly name: string;
}

/**
 * Declares the parts that a slice (feature module) adds to the service: endpoints, their OpenAPI description, and
 * extensions of lists.
 */
export function defineFeatureModule(name: string, parts: FeatureModuleOptions): ApiFeatureModule {
  return { name, controllers: [], methods: [], listedPaths: [], textPaths: [], ...parts };
}
