import 'reflect-metadata';
import { RequestMethod, type Type } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { endpointMethods, type EndpointDescription, type EndpointMethod } from './endpoint-description.js';

/**
 * OpenAPI description of a request handler. Method and path are taken from the handler's Nest decorators by default.
 */
export type DecoratedEndpoint = Omit<EndpointDescription, 'method' | 'path'> &
  Partial<Pick<EndpointDescription, 'method' | 'path'>>;

const ENDPOINT_DESCRIPTION = Symbol('switchboard:endpoint');

/**
 * Decorator that describes a handler for the OpenAPI document. The decorator may precede or follow the handler's Nest
 * decorators.
 */
export function DescribeEndpoint(description: DecoratedEndpoint): MethodDecorator {
  return (_target, _name, descriptor) => {
    Reflect.defineMetadata(ENDPOINT_DESCRIPTION, description, requireHandlerFunction(descriptor.value));
  };
}

/** Returns the scope that the description of a handler declares, or undefined if the description declares no scope. */
export function getDescribedScope(handler: object): string | undefined {
  const described: DecoratedEndpoint | undefined = Reflect.getMetadata(ENDPOINT_DESCRIPTION, handler);
  return described?.scope;
}

/**
 * Returns the OpenAPI descriptions of all endpoints of the given controllers, in the order of declaration.
 *
 * @param options `prefix`: the global prefix of the service, such as `/api/v1`
 * @throws Error that names a handler that has a Nest route but no description
 */
export function collectEndpoints(controllers: Type[], options: { prefix?: string } = {}): EndpointDescription[] {
  return controllers.flatMap((controller) =>
    listControllerMethodNames(controller.prototype).flatMap((name) => {
      const handler: unknown = Reflect.get(controller.prototype, name);
      return typeof handler === 'function'
        ? listEndpointsOfController(controller, name, handler, options.prefix ?? '')
        : [];
    }),
  );
}

function listEndpointsOfController(
  controller: Type,
  name: string,
  handler: object,
  prefix: string,
): EndpointDescription[] {
  const route: unknown = Reflect.getMetadata(PATH_METADATA, handler);
  const described: DecoratedEndpoint | undefined = Reflect.getMetadata(ENDPOINT_DESCRIPTION, handler);
  if (described === undefined) {
    if (route !== undefined) {
      throw new Error(`${controller.name}.${name} is a route without @DescribeEndpoint`);
    }
    return [];
  }
  const bases = parseTextList(Reflect.getMetadata(PATH_METADATA, controller));
  const method =
    described.method ?? getHttpMethodOfHandler(Reflect.getMetadata(METHOD_METADATA, handler), controller, name);
  const path = described.path ?? toOpenApiPath(prefix, bases[0] ?? '', parseTextList(route)[0] ?? '');
  return [{ ...described, method, path }];
}

function requireHandlerFunction(value: unknown): object {
  if (typeof value !== 'function') {
    throw new TypeError('@DescribeEndpoint describes methods only');
  }
  return value;
}

/** Returns the names of a class's own methods, followed by inherited methods that are not overridden. */
function listControllerMethodNames(prototype: object): string[] {
  const names = new Set<string>();
  for (let current = prototype; current !== Object.prototype; current = Object.getPrototypeOf(current)) {
    Object.getOwnPropertyNames(current)
      .filter((name) => name !== 'constructor')
      .forEach((name) => names.add(name));
  }
  return [...names];
}

function parseTextList(value: unknown): string[] {
  return [value].flat().filter((item) => typeof item === 'string');
}

function getHttpMethodOfHandler(value: unknown, controller: Type, name: string): EndpointMethod {
  const text = typeof value === 'number' ? RequestMethod[value]?.toLowerCase() : undefined;
  const method = endpointMethods.find((candidate) => candidate === text);
  if (method === undefined) {
    throw new Error(`${controller.name}.${name} has no HTTP method that OpenAPI can describe`);
  }
  return method;
}

/**
 * Joins the parts of a Nest route path, and converts path parameters such as `:id` to OpenAPI's `{id}`. One trailing
 * slash is preserved.
 */
function toOpenApiPath(...parts: string[]): string {
  const path = `/${parts.filter((part) => part !== '').join('/')}`.replaceAll(/\/{2,}/g, '/');
  const last = parts.at(-1) ?? '';
  const trimmed = last.endsWith('/') && last !== '/' ? path : path.replace(/(?<=.)\/$/, '');
  return trimmed.replaceAll(/:(\w+)/g, '{$1}');
}
