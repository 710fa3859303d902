import { trace, type ProxyTracerProvider, type Tracer } from '@opentelemetry/api';

/**
 * Returns the tracer of a package, or null if the process has no tracer provider. An object calls this function once,
 * when it is created, and creates spans only if the result is not null. Without a provider a span then costs only one
 * comparison. The provider must be registered before the objects are created.
 *
 * @param packageName name of the package that creates the spans, which is their instrumentation scope
 */
export function findTracer(packageName: string): Tracer | null {
  const provider = trace.getTracerProvider();
  // Without a registered provider the API returns a proxy that has no tracers. Its class is not compared, because another
  // copy of the API may have registered it.
  if (!('getDelegateTracer' in provider)) return provider.getTracer(packageName);
  return (provider as ProxyTracerProvider).getDelegateTracer(packageName) ?? null;
}
