import { type DynamicModule, Module, type Provider, type Type } from '@nestjs/common';
import type { Jobs, Outbox } from '@switchboard/queue';
import type { z } from 'zod';
import type { EventTypeOfUnknownPayload } from './define-event-type.js';
import type { SnapshotPart } from './define-snapshot-part.js';

/**
 * Background work of a feature module (slice): its jobs with their handlers, and the handlers of its outbox message
 * types.
 */
export interface FeatureModuleJobs {
  readonly definitions: readonly { readonly name: string }[];
  /** Registers the handlers of jobs and outbox messages. Called once, before the outbox starts. */
  attach(jobs: Jobs, outbox: Outbox): void;
}

/**
 * Background work of a feature module (slice) that uses no jobs. The worker itself waits for times and for database
 * rows.
 */
interface FeatureModuleWorker {
  start(): void;
  /** Stops the background work after its current step. */
  stop(): Promise<void>;
}

/**
 * Parts of the service that a feature module (slice) defines. `Runtime` is the type of the process objects that the
 * module's providers and jobs need.
 */
export interface FeatureModuleDefinition<Runtime, Variables extends z.ZodRawShape> {
  readonly controllers?: readonly Type[];
  /** HTTP controllers that are registered only in development mode. The OpenAPI document includes their endpoints. */
  readonly developmentControllers?: readonly Type[];
  /** HTTP controllers of web pages, which the OpenAPI document excludes. */
  readonly pageControllers?: readonly Type[];
  readonly providers?: readonly Provider[] | ((runtime: Runtime) => Provider[]);
  readonly events?: readonly EventTypeOfUnknownPayload[];
  readonly snapshotParts?: readonly SnapshotPart[];
  readonly jobs?: (runtime: Runtime) => FeatureModuleJobs;
  /**
   * Returns a worker with background work of the module. The worker runs in processes with the role `worker` or `all`.
   */
  readonly worker?: (runtime: Runtime) => FeatureModuleWorker;
  /**
   * Schemas of the environment variables that the feature module (slice) reads, by name. `app/environment.ts` combines
   * the variables of all modules.
   */
  readonly configuration?: Variables;
}

/** A defined feature module (slice), from which the service creates Nest modules, events, snapshot parts and jobs. */
export interface FeatureModule<Runtime, Variables extends z.ZodRawShape = z.ZodRawShape> extends Required<
  Omit<FeatureModuleDefinition<Runtime, Variables>, 'jobs' | 'worker' | 'providers'>
> {
  readonly name: string;
  readonly jobs: ((runtime: Runtime) => FeatureModuleJobs) | undefined;
  readonly worker: ((runtime: Runtime) => FeatureModuleWorker) | undefined;
  /** Returns the feature module's controllers that are registered in the given mode (`NODE_ENV`). */
  controllersIn(mode: string): Type[];
  /** Returns the Nest module of the feature module (slice). All other feature modules can inject its providers. */
  module(runtime: Runtime, mode: string): DynamicModule;
}

/**
 * Defines the parts that a feature module (slice) adds to the service: endpoints, providers, events, snapshot parts,
 * background work and configuration variables.
 * @param name name of the feature module's folder, and of its Nest module
 */
export function defineFeatureModule<Runtime = object, Variables extends z.ZodRawShape = Record<never, never>>(
  name: string,
  parts: FeatureModuleDefinition<Runtime, Variables>,
): FeatureModule<Runtime, Variables> {
  const { controllers = [], developmentControllers = [], pageControllers = [], providers = [], jobs, worker } = parts;
  const moduleClass = { [name]: class {} }[name] as Type;
  Module({})(moduleClass);
  const controllersIn = (mode: string): Type[] => {
    const inDevelopment = mode === 'production' ? [] : developmentControllers;
    return [...controllers, ...inDevelopment, ...pageControllers];
  };
  return {
    name,
    controllers,
    developmentControllers,
    pageControllers,
    events: parts.events ?? [],
    snapshotParts: parts.snapshotParts ?? [],
    configuration: parts.configuration ?? ({} as Variables),
    jobs,
    worker,
    controllersIn,
    module(runtime, mode) {
      const made = typeof providers === 'function' ? providers(runtime) : [...providers];
      return { module: moduleClass, global: true, controllers: controllersIn(mode), providers: made, exports: made };
    },
  };
}
