import { isProxyUrl, type OutboundClientOptions } from '@switchboard/outbound';
import { booleanVariableSchema, integerVariableSchema, listVariableSchema } from '@switchboard/platform';
import { z } from 'zod';

/** Environment variables for data sources and their synchronization jobs. */
export const dataSourceEnvironmentVariables = z.object({
  DATA_SOURCE_FOLDERS: listVariableSchema().default([]).meta({
    description:
      'Folders of the server, separated by commas, below which data sources of type local may read; unset, no local source can be synchronized',
  }),
  DATA_SOURCE_MAX_FILES: integerVariableSchema({ min: 1, max: 1_000_000 })
    .default(10_000)
    .meta({ description: 'Most files of one data source; a synchronization that finds more fails' }),
  DATA_SOURCE_MAX_BYTES: integerVariableSchema({ min: 1, max: 1_073_741_824 })
    .default(67_108_864)
    .meta({ description: 'Largest total size of the files of one data source, in bytes' }),
  DATA_SOURCE_MAX_FILE_BYTES: integerVariableSchema({ min: 1, max: 134_217_728 })
    .default(10_485_760)
    .meta({ description: 'Largest size of one file of a data source, in bytes' }),
  DATA_SOURCE_TIMEOUT_MS: integerVariableSchema({ min: 1, max: 3_600_000 })
    .default(300_000)
    .meta({ description: 'Time limit for reading the files of one data source, in milliseconds' }),
  DATA_SOURCE_ALLOW_LOOPBACK: booleanVariableSchema()
    .optional()
    .meta({ description: 'Whether data sources may be read from the loopback address; unset, in development only' }),
  DATA_SOURCE_ALLOW_PRIVATE: booleanVariableSchema()
    .default(false)
    .meta({ description: 'Whether data sources may be read from private networks (RFC 1918, RFC 4193, RFC 6598)' }),
  DATA_SOURCE_ALLOW_HOSTS: listVariableSchema().default([]).meta({
    description: 'Hosts of data sources that are allowed with any address; `*.example.com` matches all subdomains',
  }),
  DATA_SOURCE_ALLOW_NETWORKS: listVariableSchema()
    .default([])
    .meta({ description: 'Networks in CIDR notation that data sources may always be read from' }),
  DATA_SOURCE_PROXY: z
    .string()
    .refine(isProxyUrl, 'must read http://user:password@host:port or https://…')
    .optional()
    .meta({
      description:
        'Forward proxy for all data sources: http://user:password@host:port, or https://. It must allow CONNECT',
      secret: true,
    }),
  DATA_SOURCE_NO_PROXY: listVariableSchema().default([]).meta({
    description:
      'Hosts that data sources are read from without the proxy: names, `*.example.com` for those below, networks in CIDR notation',
  }),
  DATA_SOURCE_PROXY_RESOLVES_NAMES: booleanVariableSchema().default(false).meta({
    description:
      'Whether the proxy of data sources resolves host names; the proxy then has to refuse forbidden addresses',
  }),
  JOB_RETENTION: integerVariableSchema({ min: 0 })
    .default(90)
    .meta({ description: 'Days until finished jobs are removed; 0 retains them for ever' }),
});

/** Part of the service configuration that concerns data sources. */
type DataSourceConfig = z.infer<typeof dataSourceEnvironmentVariables> & { readonly NODE_ENV: string };

/** Limits for one synchronization of a data source. */
export interface DataSourceSyncLimits {
  /** Maximum number of files that one synchronization reads from a data source. */
  readonly files: number;
  /** Maximum total size in bytes of the files of a data source. */
  readonly bytes: number;
  /** Maximum size of one file of a data source in bytes. */
  readonly fileBytes: number;
  /** Time limit in milliseconds for reading the files of a data source. */
  readonly timeoutMs: number;
}

/** Settings for the synchronization of data sources. */
export interface DataSourceSettings {
  /** Folders that data sources of type `local` may read, including subfolders. */
  readonly folders: readonly string[];
  /** Options of the HTTP client for data sources of the types `git` and `amazon-s3`. */
  readonly outbound: OutboundClientOptions;
  readonly limits: DataSourceSyncLimits;
}

/** Timeouts of the HTTP client in milliseconds, for connecting to a server and for receiving response headers. */
const dataSourceHttpClientTimeouts = { connectTimeoutMs: 10_000, headersTimeoutMs: 60_000 };

/**
 * Returns the settings for data sources that the configuration contains. In development, loopback addresses are allowed
 * by default.
 */
export function createDataSourceSyncSettings(config: DataSourceConfig): DataSourceSettings {
  return {
    folders: config.DATA_SOURCE_FOLDERS,
    outbound: {
      policy: {
        allowLoopback: config.DATA_SOURCE_ALLOW_LOOPBACK ?? config.NODE_ENV === 'development',
        allowPrivate: config.DATA_SOURCE_ALLOW_PRIVATE,
        allowHosts: config.DATA_SOURCE_ALLOW_HOSTS,
        allowNetworks: config.DATA_SOURCE_ALLOW_NETWORKS,
      },
      ...dataSourceHttpClientTimeouts,
      // Bodies may take as long as the whole synchronization, whose signal ends them.
      totalTimeoutMs: config.DATA_SOURCE_TIMEOUT_MS + dataSourceHttpClientTimeouts.connectTimeoutMs,
      http2: false,
      ...(config.DATA_SOURCE_PROXY === undefined
        ? {}
        : {
            proxy: {
              url: config.DATA_SOURCE_PROXY,
              noProxy: config.DATA_SOURCE_NO_PROXY,
              resolvesNames: config.DATA_SOURCE_PROXY_RESOLVES_NAMES,
            },
          }),
    },
    limits: {
      files: config.DATA_SOURCE_MAX_FILES,
      bytes: config.DATA_SOURCE_MAX_BYTES,
      fileBytes: config.DATA_SOURCE_MAX_FILE_BYTES,
      timeoutMs: config.DATA_SOURCE_TIMEOUT_MS,
    },
  };
}
