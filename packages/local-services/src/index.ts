export { ensureRedisBinary, type EnsureRedisOptions } from './ensure-redis-binary.js';
export { LocalServicesError, LocalServicesInUseError } from './local-services-errors.js';
export { findFreePort, isPortFree } from './free-port.js';
export { decideRedisSource, type MachineDescription, type RedisSourceDecision } from './decide-redis-source.js';
export {
  createServiceFolder,
  findLocalServices,
  resetLocalServices,
  LocalServiceAddresses,
} from './find-local-services.js';
export { LocalServices, startLocalServices, type LocalServicesOptions } from './start-local-services.js';
