import type { ClusterNode, ClusterOptions, RedisOptions } from 'ioredis';

/**
 * Options of the connection to one Redis server, or to the Sentinels that monitor it. The format of replies is fixed,
 * because the scripts of this package depend on it.
 */
export type RedisServerOptions = Omit<RedisOptions, 'replyMapping'>;

/** Location of a Redis Cluster, given by the addresses of some of its nodes. */
export interface RedisClusterTarget {
  nodes: ClusterNode[];
  options?: Omit<ClusterOptions, 'redisOptions'>;
  /** Options of the connections to the nodes of the Redis Cluster: user, password, TLS. */
  nodeOptions?: Pick<RedisOptions, 'username' | 'password' | 'tls' | 'connectTimeout'>;
}

/**
 * Location of Redis: a URL (see `parseRedisUrl`), the options of ioredis (Sentinel, TLS certificates), or a Redis
 * Cluster. Each part of this package opens its own connections to Redis.
 */
export type RedisTarget = string | RedisServerOptions | RedisClusterTarget;
