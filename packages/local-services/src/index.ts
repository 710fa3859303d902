export { ensureRedisBinary, type EnsureRedisOptions } from './ensure-redis-binary.js';
export { LocalServicesError, LocalServicesInUseError } from './errors.js';
export { findFreePort, isPortFree } from './free-port.js';
export { decideRedisSource, type MachineDescription, type RedisDecision } from './redis-binary.js';
export { createServiceFolder, findLocalServices, resetLocalServices, ServiceAddresses } from './running-services.js';
export { LocalServices, startLocalServices, type LocalServicesOptions } from './start-local-services.js';
